package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"strata/internal/pulumi/statelayout"
)

func TestBuildIsRefusedWhileStackHasOtherStateLayout(t *testing.T) {
	backend := t.TempDir()
	require.NoError(t, check(backend), "nothing was brought up yet")
	write := func(stack, text string) {
		t.Helper()
		folder := filepath.Join(backend, ".pulumi/stacks/strata")
		require.NoError(t, os.MkdirAll(folder, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, stack), []byte(text), 0o600))
	}
	hosts := func(token string) string {
		return `{"checkpoint": {"latest": {"resources": [{"urn": "urn:pulumi:dev::strata::` +
			token + `::hosts", "custom": f`
	}
	write("dev.json", hosts(statelayout.Token("hosts", "Hosts")))
	write("empty.json", `{"checkpoint":{"latest":{}}}`)
	write("old.json.bak", hosts("strata:hosts:Hosts"))
	require.NoError(t, check(backend))
	write("old.json", hosts("strata:hosts:Hosts")) // cut off by a kill
	require.ErrorContains(t, check(backend),
		"stack old: the state has urn:pulumi:dev::strata::strata:hosts:Hosts::hosts of layout none")
}

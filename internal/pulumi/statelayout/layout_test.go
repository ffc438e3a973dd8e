package statelayout_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/pulumi/statelayout"
)

func TestStateOfOtherLayoutIsRefused(t *testing.T) {
	const stack = "urn:pulumi:dev::strata::pulumi:pulumi:Stack::strata-dev"
	for urn, layout := range map[string]string{
		"urn:pulumi:dev::strata::strata:hosts:Hosts::hosts":                                 "none",
		"urn:pulumi:dev::shop::my:own:Component$strata:metallb:MetalLB::metallb":            "none",
		"urn:pulumi:dev::strata::strata:hosts/v1:Hosts$command:local:Command::hosts-key":    "v1",
		"urn:pulumi:dev::strata::strata:hosts/v1000:Hosts$command:local:Command::hosts-key": "v1000",
		"urn:pulumi:dev::strata::strata:crds/v1:CRDs$strata:crds/v2:CRDs::crds":             "v1",
	} {
		err := statelayout.Check("dev", []string{stack, urn})
		require.ErrorContains(t, err, "refused, nothing was changed: stack dev: the state has "+urn+
			" of layout "+layout)
		require.ErrorContains(t, err, "destroy the stack with the Strata that made it")
	}
	require.NoError(t, statelayout.Check("dev", nil))
	require.NoError(t, statelayout.Check("dev", []string{
		stack, "urn:pulumi:dev::strata::pulumi:providers:command::default_1_2_1",
		"urn:pulumi:dev::strata::" + statelayout.Token("hosts", "Hosts") +
			"$command:local:Command::hosts-key",
		"urn:pulumi:dev::strata::" + statelayout.Token("k3s", "K3s") + "::k3s",
		"urn:pulumi:dev::strata::other:strata:Thing::strata:hosts:Hosts",
	}))
}

func TestCommandOfOtherLayoutIsRefused(t *testing.T) {
	require.NoError(t, statelayout.CheckCommand("teardown", statelayout.Version))
	for _, layout := range []string{"", "v1", "v3"} {
		err := statelayout.CheckCommand("teardown", layout)
		assert.ErrorContains(t, err, `refused, nothing was changed: "teardown" is a command in the state of a stack of layout `)
	}
}

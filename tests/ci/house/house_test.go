package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLineCountSkipsBlanksAndCommentsAndWeighsWidth(t *testing.T) {
	source := strings.Join([]string{
		"// Package a is not code.", "package a", "",
		"/* nor", "is this */", "var text = `two", "lines // of it`", "",
		"var x = 1 // behind code", "var " + strings.Repeat("y", 200) + " = 1",
	}, "\n")
	assert.Equal(t, 1+2+1+3, goLines([]byte(source)))
	assert.Equal(t, 2, textLines([]byte("#!/bin/sh\n\necho a # said\n\t# why\nexit\n")))
}

func TestEachFileIsCountedOnceByPackageAndRoom(t *testing.T) {
	root := t.TempDir()
	for file, text := range map[string]string{
		"main.go": "package main", "tools/a/a.go": "package a",
		"health/pool/pool.go": "package pool", "health/pool/look.sh": "true\ntrue",
		"health/pool/pool_test.go":       "package pool",
		"health/pool/testdata/case.yaml": "a: 1\n# why\nb: 2\n",
		"internal/ssh/sshtest/server.go": "package sshtest",
		"tests/e2e/e2e.go":               "package e2e", ".git/health.go": "package git",
		"docs/example.go": "package docs",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, file)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, file), []byte(text), 0o600))
	}
	h, err := measure(root)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"health": 3}, h.rooms)
	assert.Equal(t, size{files: 1, lines: 3}, *h.packages["health/pool"])
	assert.Equal(t, []int{2, 3, 2}, []int{h.outside, h.tests, h.fixtures})
}

func TestUnclearNamesAreCountedInTheirRoom(t *testing.T) {
	root := t.TempDir()
	for file, text := range map[string]string{
		"cli/a.go": `package cli
			func of() {}
			func Named() {}
			func (a) missing() {}
			func isNamed() {}
			func With() {}
			func named_() {}
			type given struct{}`,
		"cli/a_test.go":        "package cli\nfunc of() {}",
		"tools/load/report.go": "package load\nfunc closed() {}",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, file)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, file), []byte(text), 0o600))
	}
	h, err := measure(root)
	require.NoError(t, err)
	assert.EqualError(t, h.outgrown(), "cli has 100.0 % of the product, more than 25 %\n"+
		"4 functions are named by a pronoun, participle or preposition alone: name them by "+
		"verb and noun\n  cli/a.go: of\n  cli/a.go: Named\n  cli/a.go: missing\n"+
		"  tools/load/report.go: closed")

	require.NoError(t, os.WriteFile(filepath.Join(root, "cli/a.go"), []byte("func"), 0o600))
	_, err = measure(root)
	require.ErrorContains(t, err, "cli/a.go")
}

func TestOutgrownReportsRoomsAndPackagesOverTheirBound(t *testing.T) {
	h := house{
		rooms: map[string]int{"cli": 2600, "health": 3100, "config": 2400, "actions": 1900},
		packages: map[string]*size{
			"components": {files: 80, lines: 9000}, "config": {files: 60, lines: 100},
			"health/host": {files: 31, lines: 10}, "cli": {files: 5, lines: 3001},
			"actions/a": {files: 30, lines: 3000},
		},
	}
	assert.EqualError(t, h.outgrown(), strings.Join([]string{
		"cli has 26.0 % of the product, more than 25 %",
		"health has 31.0 % of the product, more than 30 %",
		"cli has 5 files and 3001 lines, more than 30 or 3000",
		"health/host has 31 files and 10 lines, more than 30 or 3000",
	}, "\n"))
}

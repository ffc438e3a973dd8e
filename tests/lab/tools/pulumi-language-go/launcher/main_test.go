package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRuntimeOptionsBecomeFlags(t *testing.T) {
	for _, c := range []struct {
		name, project string
		want          []string
	}{
		{"plain runtime", "runtime: go\n", nil},
		{"no options", "runtime: {name: go}\n", nil},
		{"build target", "runtime: {name: go, options: {buildTarget: .strata/bin/program}}\n",
			[]string{"-buildTarget=.strata/bin/program"}},
		{"binary", "runtime: {name: go, options: {binary: ./p}}\n", []string{"-binary=./p"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseOptions([]byte(c.project))
			require.NoError(t, err)
			assert.Equal(t, c.want, got.flags())
		})
	}
}

func TestProjectIsFoundFromASubfolder(t *testing.T) {
	root := t.TempDir()
	text := "runtime: {name: go, options: {buildTarget: out}}\n"
	require.NoError(t, os.WriteFile(filepath.Join(root, "Pulumi.yaml"), []byte(text), 0o600))
	sub := filepath.Join(root, "a", "b")
	require.NoError(t, os.MkdirAll(sub, 0o700))

	got, err := runtimeOptions(sub)
	require.NoError(t, err)
	assert.Equal(t, "out", got.BuildTarget)
}

func TestInvalidProjectFileIsRejected(t *testing.T) {
	_, err := parseOptions([]byte("runtime: [unclosed"))
	assert.ErrorContains(t, err, "project file")
}

package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/ssh/remote/sshtest"
)

// Without the passphrase, Pulumi shows the state with its secrets encrypted.
func TestHealthWithReaderKubeconfigNeedsNoPassphrase(t *testing.T) {
	dir := t.TempDir()
	state, file := filepath.Join(dir, "state"), filepath.Join(dir, "kubeconfig")
	require.NoError(t, os.WriteFile(state,
		[]byte(stateOf(t, sshtest.Start(t), gatesOfOneServer...)), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pulumi"),
		[]byte("#!/bin/sh\ncase \"$*\" in *--show-secrets*) echo 'passphrase must be set' >&2; "+
			"exit 1 ;; esac\ncat "+state+"\n"), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	args := []string{"health", "-s", "dev", "--project", project(t, oneServer),
		"--kubeconfig", file}
	code, _, stderr := invoke(t, "", args...)
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "--kubeconfig")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	code, _, stderr = invoke(t, "", args...)
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "is empty", "that it would ask with the stack's own is no choice")
	require.NoError(t, os.WriteFile(file, []byte("kubeconfig"), 0o600))
	code, _, stderr = invoke(t, "", args...)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "none of 5 gates can be asked with this kubeconfig: the first "+
		"needs a login on the host (SSH)")
}

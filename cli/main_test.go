package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/klog/v2"

	"strata/internal/pulumi/statelayout"
)

// TestMain sets the environment variable with the state layout, as the commands in a state do.
// Without it, the tests could not run verbs.
func TestMain(m *testing.M) {
	if err := os.Setenv(statelayout.Variable, statelayout.Version); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// client-go logs each broken connection, although the gates report it as well.
func TestCommandWritesNoKlogErrorToStderr(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	require.NoError(t, err)
	stderr := os.Stderr
	os.Stderr = file
	t.Cleanup(func() { os.Stderr = stderr })
	code, _, _ := invoke(t, "", "version")
	require.Zero(t, code)
	klog.Error("Unexpected error when reading response body")
	klog.Flush()
	text, err := os.ReadFile(file.Name())
	require.NoError(t, err)
	assert.Empty(t, string(text))
}

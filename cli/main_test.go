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

// TestMain sets the layout variable that a state's commands set, so that tests can run the verbs of
// resources.
func TestMain(m *testing.M) {
	if err := os.Setenv(statelayout.Variable, statelayout.Version); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// A client of Kubernetes logs each broken connection, which a gate reports in its own words.
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

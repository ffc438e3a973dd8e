package engine_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	states "github.com/pulumi/pulumi/pkg/v3/resource/stack"
	"github.com/pulumi/pulumi/pkg/v3/secrets/b64"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"strata/tests/pulumitest"
)

// keep makes TestKeepWritesDeployedStacks write this commit's deployed stacks, for later tests.
var keep = flag.Bool("keep", false, "write testdata/kept anew")

// keptStacks are the committed stacks that are kept, one for each kind of hosts.
var keptStacks = []string{"staging", "proxmox", "kind"}

// kept is a deployed stack of an earlier commit: its configuration and its state. The secrets in it
// are those of the fake providers.
type kept struct {
	Config     map[string]section    `json:"config"`
	Deployment *apitype.DeploymentV3 `json:"deployment"`
	// Answers are the outputs of the fake providers. A repeated request for a machine must return
	// the same key.
	Answers *pulumitest.Answers `json:"answers"`
}

// keptFile returns the path of the file of a kept stack from any working directory.
func keptFile(name string) string {
	return filepath.Join(root, "tests", "engine", "testdata", "kept", name+".json.gz")
}

// TestKeepWritesDeployedStacks writes the kept stacks. It runs only with -keep.
func TestKeepWritesDeployedStacks(t *testing.T) {
	if !*keep {
		t.Skip("writes testdata/kept with -keep, before a change of what the program registers")
	}
	for _, name := range keptStacks {
		s := newStack(t, name)
		s.mustUp()
		s.snapshot.SecretsManager = b64.NewBase64SecretsManager()
		deployment, err := states.SerializeDeployment(t.Context(), s.snapshot, false)
		require.NoError(t, err)
		text, err := json.Marshal(kept{s.config, deployment, s.answers})
		require.NoError(t, err)
		var packed bytes.Buffer
		writer := gzip.NewWriter(&packed)
		_, err = writer.Write(text)
		require.NoError(t, err)
		require.NoError(t, writer.Close())
		require.NoError(t, os.MkdirAll(filepath.Dir(keptFile(name)), 0o755))
		require.NoError(t, os.WriteFile(keptFile(name), packed.Bytes(), 0o644))
	}
}

// keptStack returns a stack that an earlier commit deployed.
func keptStack(t *testing.T, name string) *stack {
	t.Helper()
	return stackOf(t, name, keptFile(name))
}

// stackOf returns the stack in a file that TestKeepWritesDeployedStacks wrote.
func stackOf(t *testing.T, name, path string) *stack {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	reader, err := gzip.NewReader(file)
	require.NoError(t, err)
	var was kept
	require.NoError(t, json.NewDecoder(reader).Decode(&was))
	s := newStack(t, name)
	s.config, *s.answers = was.Config, *was.Answers
	s.snapshot, err = states.DeserializeDeploymentV3(t.Context(), *was.Deployment,
		b64.Base64SecretsProvider)
	require.NoError(t, err)
	return s
}

package pulumitest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// Root is the project's root folder. It is computed before a test changes its folder, which must be
// two folders below.
var Root = func() string {
	folder, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return folder
}()

// Committed returns the sections of a committed stack file by full key, as JSON, as Pulumi passes
// them to the program.
func Committed(t testing.TB, stack string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(Root, "Pulumi."+stack+".yaml"))
	require.NoError(t, err)
	var content struct {
		Config map[string]json.RawMessage `json:"config"`
	}
	require.NoError(t, yaml.Unmarshal(text, &content))
	sections := map[string]string{}
	for key, value := range content.Config {
		sections[key] = string(value)
	}
	return sections
}

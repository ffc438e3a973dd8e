package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Pulumi.yaml must require at least the version of Pulumi whose engine runs in these tests. Older
// ones may behave differently.
func TestProjectRequiresTestedPulumiVersion(t *testing.T) {
	project, err := workspace.LoadProject(filepath.Join(root, "Pulumi.yaml"))
	require.NoError(t, err)
	tested := moduleVersion(t, "github.com/pulumi/pulumi/sdk/v3")
	for version, admitted := range map[string]bool{
		tested: true, "3.275.0": true, "3.274.0": false, "3.250.0": false, "2.25.2": false,
		"4.0.0": false,
	} {
		err := plugin.ValidatePulumiVersionRange(project.RequiredPulumiVersion, version)
		assert.Equal(t, admitted, err == nil, "Pulumi %s: %v", version, err)
	}
	assert.True(t, strings.HasPrefix(project.RequiredPulumiVersion, ">="+tested+" "),
		"%s is not what go.mod has: %s",
		project.RequiredPulumiVersion, tested)
}

// moduleVersion returns the required version of a module, without the prefix v.
func moduleVersion(t *testing.T, module string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) >= 2 && words[0] == module {
			return strings.TrimPrefix(words[1], "v")
		}
	}
	require.Fail(t, "not in go.mod", module)
	return ""
}

package ci

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rooms are the product's folders, from the top down.
var rooms = []string{"cli", "platform", "components", "actions", "health", "artifacts", "config",
	"internal"}

// pulumi is the SDK with which resources are declared. health must not import it.
const pulumi = "github.com/pulumi/pulumi/sdk/v3"

// TestLinterReportsImportsFromHigherRooms runs the linter on a module with the same rooms, each of
// which imports all others. The linter must report exactly the imports of higher rooms. A folder
// with a room's name elsewhere is no room.
func TestLinterReportsImportsFromHigherRooms(t *testing.T) {
	module := t.TempDir()
	write := func(path, text string) {
		path = filepath.Join(module, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	rules, err := os.ReadFile("../../.golangci.yml")
	require.NoError(t, err)
	write(".golangci.yml", string(rules))
	write("go.mod", "module strata\n\ngo 1.26\n\nrequire "+pulumi+" v3.0.0\nreplace "+pulumi+
		" => ./sdk\n")
	write("sdk/go.mod", "module "+pulumi+"\n")
	write("sdk/go/pulumi/pulumi.go", "package pulumi\n")
	declares := "package health\n\nimport _ \"" + pulumi + "/go/pulumi\"\n"
	write("health/declares.go", declares)
	above := map[string]bool{"health/declares.go": true}
	for at, room := range rooms {
		write(room+"/inner/inner.go", "package inner\n")
		for other, imported := range rooms {
			path := fmt.Sprintf("%s/%s/imports.go", room, imported)
			write(path, fmt.Sprintf("package %s\n\nimport _ \"strata/%s/inner\"\n", imported,
				imported))
			if other < at {
				above[path] = true
			}
		}
	}
	linter, err := exec.Command("go", "tool", "-modfile=../../hack/tools/go.mod", "-n",
		"golangci-lint").Output()
	require.NoError(t, err)
	run := exec.Command(strings.TrimSpace(string(linter)), "run", "--enable-only", "depguard",
		"./...")
	run.Dir = module
	found, err := run.Output()
	require.Error(t, err, "%s", found)
	for path := range above {
		assert.Contains(t, string(found), path+":3:", "not noticed")
	}
	assert.Equal(t, len(above), strings.Count(string(found), "is not allowed from list"))
}

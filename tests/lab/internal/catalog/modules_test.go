package catalog

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"
)

// apart are the commands that cannot have the versions of the others, with the modules that this is about and the reason.
// What they share in name is compiled twice: half of what most of them take is Kubernetes' clients.
var apart = []struct{ step, prefix, why string }{
	{stepVault, "", "make up does not build it"},
	{stepTraefik, "github.com/gorilla/mux", "its own replacement"},
	{stepArgoCD, "github.com/cyphar/filepath-securejoin", "it uses a function that 0.5 took away"},
	{stepHost, "github.com/pulumi/pulumi/sdk/v3", "the last SDK that has the host in it"},
	{"tests/alerts", "go.opentelemetry.io/", "promtool's instrumentation is written against it; Kubernetes' clients need none of it"},
	{"tests/alerts", "google.golang.org/", "as above"},
	{"tests/alerts", "github.com/", "as above"},
	{"tests/alerts", "gopkg.in/ini.v1", "of the clouds that it does not compile"},
}

// tested are the modules of tests, which `make test` compiles from an empty cache as well.
var tested = []string{"tools/bundle", "tests/alerts", "tests/bench/serial", "tests/charts", "tests/conformance", "tests/e2e", "tests/engine", "tests/lab"}

func isApart(step, module string) bool {
	for _, one := range apart {
		if one.step == step && strings.HasPrefix(module, one.prefix) {
			return true
		}
	}
	return false
}

// requirements are the versions in a go.mod by module.
func requirements(t *testing.T, folder string) map[string]string {
	t.Helper()
	path := filepath.Join(folder, "go.mod")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	file, err := modfile.Parse(path, text, nil)
	require.NoError(t, err)
	versions := map[string]string{}
	for _, one := range file.Require {
		versions[one.Mod.Path] = one.Mod.Version
	}
	for _, one := range file.Replace {
		// The compiler's cache goes by the version that is asked for, and by what is compiled: another one in its place is shared with
		// nobody.
		if asked, ok := versions[one.Old.Path]; ok && one.New.Version != "" && asked != one.New.Version {
			versions[one.Old.Path] = asked + " => " + one.New.Version
		}
	}
	return versions
}

// The compiler's cache holds a package by the versions of all that it is made of. The program is among the commands: make up
// compiles it as well.
func TestCommandsHaveOneVersionOfAModule(t *testing.T) {
	folders := map[string]string{"the program": "../../../.."}
	for step, command := range commands() {
		folders[step] = filepath.Join("../..", command.Module)
	}
	first, of := map[string]string{}, map[string]string{}
	for _, module := range tested {
		folders[module] = filepath.Join("../../../..", module)
	}
	steps := slices.Sorted(maps.Keys(folders))
	const program = "the program" // It decides.
	steps = append([]string{program}, slices.DeleteFunc(steps, func(step string) bool { return step == program })...)
	for _, step := range steps {
		for module, version := range requirements(t, folders[step]) {
			if isApart(step, module) || module == "strata" {
				continue
			}
			if first[module] == "" {
				first[module], of[module] = version, step
			}
			assert.Equal(t, first[module], version, "%s in %s, as in %s", module, step, of[module])
		}
	}
	assert.Equal(t, "v"+kubernetesModules, first["k8s.io/client-go"])
}

// kubernetesModules is the version of Kubernetes' own modules that belongs to a release of it.
var kubernetesModules = strings.Replace(kubernetesVersion, "1.", "0.", 1)

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

// apart lists the commands that cannot share module versions with the others, the modules (by
// prefix), and the reason. Each such module is compiled twice.
var apart = []struct{ step, prefix, why string }{
	{stepVault, "", "make up does not build it"},
	{stepTraefik, "github.com/gorilla/mux", "its own replacement"},
	{stepHost, "github.com/pulumi/pulumi/sdk/v3", "the last SDK that has the host in it"},
	{"tests/alerts", "go.opentelemetry.io/", "promtool's instrumentation is written against it; " +
		"Kubernetes' clients need none of it"},
	{"tests/alerts", "google.golang.org/", "as above"},
	{"tests/alerts", "github.com/", "as above"},
	{"tests/alerts", "gopkg.in/ini.v1", "of the clouds that it does not compile"},
}

// tested are the Go modules of tests, which `make test` also compiles.
var tested = []string{
	"tools/bundle", "tests/alerts", "tests/bench/serial", "tests/charts", "tests/conformance",
	"tests/e2e", "tests/engine",
	"tests/lab", "tests/lab/machines",
}

// raised are modules, by prefix, that Strata's program uses in a newer version, to avoid a
// published vulnerability. Only tests run the stand-ins and the lab's Pulumi. They keep the older
// version that they were tested with, and all use the same one.
var raised = []string{
	"google.golang.org/grpc", "google.golang.org/genproto/googleapis/", "go.opentelemetry.io/otel",
	"golang.org/x/oauth2",
	"go.opentelemetry.io/contrib/bridges/otelslog", "github.com/klauspost/compress",
	"github.com/moby/spdystream", "github.com/go-jose/go-jose/v4", "helm.sh/helm/v3",
}

// isRaised reports whether a stand-in may use a different version of a module than Strata's
// program.
func isRaised(step, module string) bool {
	return step != program && !slices.Contains(tested, step) && slices.ContainsFunc(raised,
		func(one string) bool { return strings.HasPrefix(module, one) })
}

// program is the name of the root module, whose versions the others must use.
const program = "the program"

func isApart(step, module string) bool {
	for _, one := range apart {
		if one.step == step && strings.HasPrefix(module, one.prefix) {
			return true
		}
	}
	return false
}

// requirements returns the versions in a folder's go.mod, by module.
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
		// The compiler cannot share a replaced module with other commands, because its cache
		// depends on the required version and on the sources.
		if asked, ok := versions[one.Old.Path]; ok && one.New.Version != "" && asked != one.New.Version {
			versions[one.Old.Path] = asked + " => " + one.New.Version
		}
	}
	return versions
}

// The compiler's cache identifies a package by the versions of all packages that it imports. So
// shared versions save compile time. The root module is included, because `make up` compiles it,
// too.
func TestCommandsUseTheSameModuleVersions(t *testing.T) {
	folders := map[string]string{program: "../../../.."}
	for step, command := range commands() {
		folders[step] = filepath.Join("../..", command.Module)
	}
	first, of := map[string]string{}, map[string]string{}
	for _, module := range tested {
		folders[module] = filepath.Join("../../../..", module)
	}
	steps := slices.Sorted(maps.Keys(folders))
	steps = append([]string{program}, slices.DeleteFunc(steps, func(step string) bool { return step == program })...)
	for _, step := range steps {
		for module, version := range requirements(t, folders[step]) {
			if isApart(step, module) || module == "strata" {
				continue
			}
			key := module
			if isRaised(step, module) {
				key += " of the stand-ins"
			}
			if first[key] == "" {
				first[key], of[key] = version, step
			}
			assert.Equal(t, first[key], version, "%s in %s, as in %s", module, step, of[key])
		}
	}
	assert.Equal(t, "v"+kubernetesModules, first["k8s.io/client-go"])
}

// kubernetesModules is the version of Kubernetes's Go modules that belongs to kubernetesVersion.
var kubernetesModules = strings.Replace(kubernetesVersion, "1.", "0.", 1)

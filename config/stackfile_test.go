package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
	"strata/tests/pulumitest"
)

// The engine uses either of two duplicate keys. Values of an ESC environment reach only the
// program.
func TestDuplicateKeysAndESCEnvironmentsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"  traefik: {replicas: 3}\n  strata:traefik: " +
			"{replicas: 4}\n": "strata:traefik: is written twice, as strata:traefik and as " +
			"traefik; keep one of them: Pulumi takes either",
		"  strata:config:traefik: {}\n  strata:traefik: " +
			"{replicas: 4}\n": "strata:traefik: is written twice, as strata:config:traefik and as strata:traefik",
		"  strata:traefik: {}\nenvironment: " +
			"[shared/dev]\n": "environment: has values of Pulumi ESC, which only pulumi up and " +
			"preview see; name a copy of the file",
		"  strata:traefik: {}\nenvironment: {values: {pulumiConfig: {}}}\n": "environment: has values of Pulumi ESC",
	} {
		_, err := pulumitest.NewStackFile(t, "", text).Read()
		assert.ErrorContains(t, err, want)
	}
	_, err := pulumitest.NewStackFile(t, "", "  strata:traefik: {}\nenvironment: []\n").Read()
	assert.NoError(t, err)
}

// The program would ignore these keys: it reads only keys that begin with strata:.
func TestKeysThatResembleSectionsAreRefused(t *testing.T) {
	for written, want := range map[string]string{
		"traefik":                 "platform:traefik: IS; did you mean strata:traefik?",
		"trafik":                  "platform:trafik: IS; did you mean strata:traefik?",
		"stata:trafik":            "stata:trafik: IS; did you mean strata:traefik?",
		"\"traefik[0]\"":          "platform:traefik[0]: IS; take it out and set it by its path: ",
		"stata:trafik.a.b":        "--path 'strata:traefik.a.b' VALUE",
		"kubernetes:metallb":      "",
		"platform:unrelated":      "",
		"stata:unrelated":         "",
		"platform:config:apisix":  "platform:apisix: IS; did you mean strata:apisix?",
		"\":traefik\"":            ":traefik: IS; did you mean strata:traefik?",
		"strata-prod:traefik":     "strata-prod:traefik: IS; did you mean strata:traefik?",
		"strata.traefik":          "platform:strata.traefik: IS; did you mean strata:traefik?",
		"traefik:replicas":        "traefik:replicas: IS; take it out and set it by its path: ",
		"traefk:replica":          "--path 'strata:traefik.replicas' VALUE",
		"k3s:snapshots.retention": "--path 'strata:k3s.snapshots.retention' VALUE",
		"\"hosts:nodes[0].name\"": "--path 'strata:hosts.nodes[0].name' VALUE",
		"vault:address":           "", // of Pulumi's providers
		"argocd:serverAddr":       "",
		"aws:region":              "",
	} {
		s := pulumitest.NewStackFile(t, "", "  "+written+": {}\n  strata:metallb: "+
			"{addresses: [10.0.0.1-10.0.0.9]}\n")
		s.Rename(t, "platform")
		_, err := s.Read()
		if want == "" {
			assert.NoError(t, err, written)
			continue
		}
		assert.ErrorContains(t, err, strings.Replace(want, "IS",
			"is not read: Strata's keys begin with strata:", 1), written)
	}
}

// Pulumi reads only its own keys of the first document.
func TestPartsThatPulumiIgnoresAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"strata:traefik: {replicas: 3}\n": "strata:traefik: is beside config:, where Pulumi " +
			"ignores it; write it below config:, indented",
		"traefik: {replicas: 3}\n":                              "traefik: is beside config:",
		"configs: {strata:traefik: {replicas: 3}}\n":            "configs: is beside config:, where Pulumi ignores it; did you mean config?",
		"---\nconfig:\n  strata:traefik: {replicas: 3}\n":       "---: begins another document, which Pulumi ignores; write everything into the first document",
		"...\nstrata:traefik: {replicas: 3}\n":                  "---: begins another document",
		"---\n# nothing\n---\nconfig: {}\n":                     "---: begins another document",
		"---\n}\n":                                              "---: begins another document",
		"x-sizes: &sizes {replicas: 3}\n":                       "",
		"secretsprovider: passphrase\nencryptionsalt: v1:abc\n": "",
		"...\n---\n# nothing\n":                                 "",
	} {
		_, err := pulumitest.NewStackFile(t, "", text).Read()
		if want == "" {
			assert.NoError(t, err, text)
			continue
		}
		assert.ErrorContains(t, err, want, text)
	}
	s := pulumitest.NewStackFile(t, "", "strata:traefik: {replicas: 3}\n")
	_, err := s.FromEngine(t, "strata", map[string]string{})
	require.ErrorContains(t, err, "strata:traefik: is beside config:")
	require.NoError(t, os.WriteFile(s.File, []byte("---\n---\nconfig: {}\n"), 0o600))
	_, err = s.Read()
	require.ErrorContains(t, err, "---: begins another document")
}

// The engine passes only one of the two forms to a program, so the program reads the file as well.
func TestProgramRefusesKeyInTwoForms(t *testing.T) {
	s := pulumitest.NewStackFile(t, "", "  traefik: {replicas: 3}\n  strata:traefik: {replicas: 4}\n")
	whole := map[string]string{"strata:traefik": `{"replicas":3}`,
		"strata:cluster": `{"context":"kind-kind"}`,
		"strata:metallb": `{"addresses":["10.0.0.1-10.0.0.9"]}`}
	_, err := s.FromEngine(t, "strata", whole)
	require.ErrorContains(t, err,
		"strata:traefik: is written twice, as strata:traefik and as traefik; keep one of them")
	require.NoError(t, os.Remove(s.File))
	_, err = s.FromEngine(t, "strata", whole)
	require.NoError(t, err, "--config-file names a file elsewhere")
}

func TestStackFileInStackConfigDirIsFound(t *testing.T) {
	s := pulumitest.NewStackFile(t, "stackConfigDir: stacks\n", "")
	moved := filepath.Join(s.Folder, "stacks", "Pulumi.dev.yaml")
	require.NoError(t, os.Mkdir(filepath.Dir(moved), 0o700))
	require.NoError(t, os.Rename(s.File, moved))
	require.Equal(t, moved, config.StackFile(s.Folder, "org/strata/dev"))
	cfg, err := config.FromFile(moved)
	require.NoError(t, err)
	assert.Equal(t, "dev", cfg.Stack)
}

// Pulumi gives a stack's file the extension of the project's file.
func TestStackFileHasExtensionOfProjectFile(t *testing.T) {
	for _, extension := range []string{".yml", ".json"} {
		s := pulumitest.NewStackFile(t, "", "")
		project := filepath.Join(s.Folder, "Pulumi"+extension)
		require.NoError(t, os.Remove(filepath.Join(s.Folder, "Pulumi.yaml")))
		require.NoError(t, os.WriteFile(project, []byte(`{"name": "own", "runtime": "go"}`), 0o600))
		assert.Equal(t, filepath.Join(s.Folder, "Pulumi.dev"+extension),
			config.StackFile(s.Folder, "dev"))
	}
}

func TestStackOfAnotherProjectIsRefused(t *testing.T) {
	s := pulumitest.NewStackFile(t, "", "")
	for _, stack := range []string{"organization/other/dev", "dev/", "strata/"} {
		_, err := config.OfStack(s.Folder, stack, s.File)
		assert.ErrorContains(t, err, "stack "+stack+" is none of project strata in folder "+s.Folder+
			"; write STACK, or ORGANIZATION/strata/STACK, or name the project's folder with --project")
	}
	_, err := config.OfStack(s.Folder, "org/dev", s.File)
	assert.NoError(t, err)
}

func TestStackFilesAreFoundByStackName(t *testing.T) {
	t.Setenv(config.ArtifactsVariable, "")
	s := pulumitest.NewStackFile(t, "", "")
	assert.Equal(t, s.File, config.StackFile(s.Folder, "org/strata/dev"))
	cfg, err := config.OfStack(s.Folder, "org/strata/dev", s.File)
	require.NoError(t, err)
	assert.Equal(t, "dev", cfg.Stack)
	cfg, err = config.OfStack(t.TempDir(), "dev", s.File)
	require.NoError(t, err, "a folder without project has no defaults")
	assert.Equal(t, "dev", cfg.Stack)

	dotted := filepath.Join(s.Folder, "Pulumi.a.b.yaml")
	require.NoError(t, os.Rename(s.File, dotted))
	cfg, err = config.FromFile(dotted)
	require.NoError(t, err)
	assert.Equal(t, "a.b", cfg.Stack)
	_, err = config.FromFile(filepath.Join(s.Folder, "stack.yaml"))
	require.ErrorContains(t, err, "expected a stack file named Pulumi.<stack>.yaml")
	_, err = config.FromFile(s.File)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

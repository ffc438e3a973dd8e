package settings_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/k3s/internal/settings"
)

// config writes config.yaml and its drop-ins, and returns the --config flag.
func config(t *testing.T, main string, dropIns map[string]string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(file, []byte(main), 0o600))
	require.NoError(t, os.Mkdir(file+".d", 0o700))
	for name, content := range dropIns {
		require.NoError(t, os.WriteFile(filepath.Join(file+".d", name), []byte(content), 0o600))
	}
	return "--config=" + file
}

func TestConfigFileSetsFlagsOfEveryType(t *testing.T) {
	flag := config(t, `
cluster-init: true
token: abc
tls-san: [a.example, 10.0.0.1]
https-listen-port: 7443
write-kubeconfig-mode: "0600"
`, nil)
	p, err := settings.Parse("server", []string{flag})
	require.NoError(t, err)
	assert.True(t, p.Bools["cluster-init"])
	assert.Equal(t, "abc", p.Texts["token"])
	assert.Equal(t, []string{"a.example", "10.0.0.1"}, p.Lists["tls-san"])
	assert.Equal(t, 7443, p.Numbers["https-listen-port"])
	assert.Equal(t, "0600", p.Texts["write-kubeconfig-mode"])
}

func TestLaterDropInReplacesValueAndPlusKeyAppends(t *testing.T) {
	flag := config(t, "token: main\nnode-label: [a=1]\ndisable: [traefik]\n", map[string]string{
		"10-first.yaml":  "token: first\nnode-label+: [b=2]\n",
		"20-second.yml":  "token: second\ndisable: [servicelb]\n",
		"30-ignored.txt": "token: ignored\n",
	})
	p, err := settings.Parse("server", []string{flag})
	require.NoError(t, err)
	assert.Equal(t, "second", p.Texts["token"])
	assert.Equal(t, []string{"a=1", "b=2"}, p.Lists["node-label"])
	assert.Equal(t, []string{"servicelb"}, p.Lists["disable"])
}

func TestCommandLineOverridesTextsAndAddsToLists(t *testing.T) {
	flag := config(t, "token: file\nnode-label: [a=1]\n", nil)
	p, err := settings.Parse("agent", []string{flag, "--token=cli", "--node-label", "b=2"})
	require.NoError(t, err)
	assert.Equal(t, "cli", p.Texts["token"])
	assert.Equal(t, []string{"a=1", "b=2"}, p.Lists["node-label"])
}

func TestServerSkipsUnknownConfigKeyWithK3sWarning(t *testing.T) {
	p, err := settings.Parse("server", []string{config(t, "nonsense: 1\ntoken: abc\n", nil)})
	require.NoError(t, err)
	assert.Contains(t, p.Warnings, "Unknown flag --nonsense found in config.yaml, skipping")
	assert.Equal(t, "abc", p.Texts["token"])
}

func TestAgentRefusesServerOnlyConfigKey(t *testing.T) {
	_, err := settings.Parse("agent", []string{config(t, "tls-san: [x]\n", nil)})
	assert.EqualError(t, err, "flag provided but not defined: -tls-san")
}

func TestUnknownFlagOnCommandLineFails(t *testing.T) {
	_, err := settings.Parse("server", []string{config(t, "", nil), "--nonsense"})
	assert.EqualError(t, err, "flag provided but not defined: -nonsense")
}

func TestConfigValueOfWrongTypeFails(t *testing.T) {
	_, err := settings.Parse("server", []string{config(t, "cluster-init: perhaps\n", nil)})
	assert.ErrorContains(t, err, `invalid boolean value "perhaps" for -cluster-init`)
}

func TestEnvironmentSetsOnlyFlagsThatAreNotSet(t *testing.T) {
	t.Setenv("K3S_URL", "https://env:6443")
	t.Setenv("K3S_TOKEN", "env")
	p, err := settings.Parse("agent", []string{config(t, "token: file\n", nil)})
	require.NoError(t, err)
	assert.Equal(t, "https://env:6443", p.Texts["server"])
	assert.Equal(t, "file", p.Texts["token"])
}

func TestAcceptedFlagWithoutEffectIsReported(t *testing.T) {
	p, err := settings.Parse("server", []string{config(t, "embedded-registry: true\n", nil)})
	require.NoError(t, err)
	assert.Contains(t, p.Warnings, "Flag --embedded-registry has no effect in the lab")
}

func TestMissingConfigFileIsNoError(t *testing.T) {
	_, err := settings.Parse("agent", []string{"--config=" + filepath.Join(t.TempDir(), "none.yaml")})
	assert.NoError(t, err)
}

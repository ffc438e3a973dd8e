package cli

import (
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"strata/actions/hosts/reach"
	"strata/cli/scaffold/scaffoldtest"
	"strata/config"
	"strata/internal/ssh/remote/sshtest"
)

func TestInitWritesStackFileThatPreflightReads(t *testing.T) {
	host, project := scaffoldtest.New(t, 31), scaffoldtest.Project(t)
	key := scaffoldtest.Key(t, host)
	t.Setenv("PATH", t.TempDir())
	args := []string{"init", "dev", "--project", project, "--key", key, "--known-hosts", os.DevNull,
		"--accept-new", "--host", host.Address, "--port", fmt.Sprint(host.Port)}
	code, stdout, stderr := invoke(t, "", args...)
	require.Zero(t, code, stderr)
	assert.Contains(t, stdout, "not verified")
	assert.NotContains(t, stdout+stderr, "PRIVATE KEY")
	cfg, err := config.FromFile(filepath.Join(project, "Pulumi.dev.yaml"))
	require.NoError(t, err)
	assert.Equal(t, config.SSH{User: "root", Port: host.Port, KeyFile: key,
		HostKey: host.HostKey()}, cfg.Hosts.Nodes[0].SSH)
	code, stdout, stderr = invoke(t, "", "preflight", "-s", "dev", "--project", project)
	require.Zero(t, code, stdout+stderr)

	code, _, stderr = invoke(t, "", args...)
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "is there already, and is not overwritten")
}

func TestInitWritesNothingWhenHostHasProblem(t *testing.T) {
	host, project := scaffoldtest.New(t, 32), scaffoldtest.Project(t)
	host.User, host.Sudo = "ada", "echo sudo: a password is required >&2; exit 1"
	code, stdout, stderr := invoke(t, "", "init", "dev", "--project", project, "--key",
		scaffoldtest.Key(t, host), "--known-hosts", os.DevNull, "--accept-new", "--host",
		host.Argument())
	assert.Equal(t, 1, code)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "strata: init: nothing was written:\n"+host.Address)
	assert.NoFileExists(t, filepath.Join(project, "Pulumi.dev.yaml"))
}

func TestInitReportsAllInvalidArgumentsBeforeContactingHosts(t *testing.T) {
	project := t.TempDir()
	file := filepath.Join(project, "Pulumi.dev.yaml")
	require.NoError(t, os.WriteFile(filepath.Join(project, "Pulumi.yaml"),
		[]byte("name: strata\n"), 0o600))
	require.NoError(t, os.WriteFile(file, []byte("mine"), 0o600))
	code, _, stderr := invoke(t, "", "init", "dev", "--project", project, "--host",
		"10.10.0.11:ssh,fd00::1", "--host", "-root@10.10.0.12", "--known-hosts",
		filepath.Join(project, "gone"))
	assert.Equal(t, 2, code)
	for _, text := range []string{"nothing was written", `"ssh" is not a TCP port`, "fd00::1: nodes need an IPv4 address", `"-root" is not a user name`, "known_hosts: open"} {
		assert.Contains(t, stderr, text)
	}
	code, _, stderr = invoke(t, "", "init", "dev", "--project", project, "--host", "10.10.0.11",
		"--key", filepath.Join(project, "no-key"), "--known-hosts", os.DevNull)
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, file+" is there already, and is not overwritten")
	assert.Contains(t, stderr, "--key: no-key cannot be read")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "mine", string(text))
}

// init must accept the same login settings as an update.
func TestInitLogsInWithPassphraseThroughJumpHost(t *testing.T) {
	host, jump, project := scaffoldtest.New(t, 33), sshtest.Start(t), scaffoldtest.Project(t)
	jump.Forwards = true
	jump.AcceptKeyOf(host.Server)
	private, err := ssh.ParseRawPrivateKey(host.PrivateKey())
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte("open sesame"))
	require.NoError(t, err)
	key, known := filepath.Join(project, "key"), filepath.Join(project, "known_hosts")
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(block), 0o600))
	require.NoError(t, os.WriteFile(known,
		fmt.Appendf(nil, "[127.0.0.1]:%d %s\n", jump.Target().Port, jump.HostKey()), 0o600))
	t.Setenv("PATH", t.TempDir())
	args := []string{"init", "dev", "--project", project, "--key", key, "--known-hosts", known,
		"--accept-new", "--host", host.Argument(), "--jump",
		fmt.Sprintf("127.0.0.1:%d", jump.Target().Port)}
	code, _, stderr := invoke(t, "", args...)
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "set its passphrase in "+reach.PassphraseVariable+
		", or give --agent")
	assert.NotContains(t, stderr, "strata:hosts")

	t.Setenv(reach.PassphraseVariable, "open sesame")
	code, stdout, stderr := invoke(t, "", args...)
	require.Zero(t, code, stderr)
	assert.Contains(t, stdout, "pulumi config set --secret --path -s dev strata:hosts.ssh.passphrase\n")
	cfg, err := config.FromFile(filepath.Join(project, "Pulumi.dev.yaml"))
	require.NoError(t, err)
	assert.Equal(t, "key", cfg.Hosts.SSH.KeyFile)
	assert.Equal(t, jump.HostKey(), cfg.Hosts.SSH.Jump[0].HostKey)
	assert.Empty(t, cfg.Hosts.SSH.Passphrase)
}

// Keywords of an ssh_config override init's defaults.
func TestInitTakesUnsetFlagsFromSSHConfig(t *testing.T) {
	host, project := scaffoldtest.New(t, 34), scaffoldtest.Project(t)
	host.User = "root"
	file := filepath.Join(project, "ssh_config")
	text := fmt.Sprintf("Host web %[1]s\n  HostName %[1]s\n  Port %d\n  IdentityFile %s\n",
		host.Address, host.Port, scaffoldtest.Key(t, host))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	known := filepath.Join(project, "known_hosts")
	require.NoError(t, os.WriteFile(known,
		fmt.Appendf(nil, "<<<<<<< mine\n%s %s\n", host.Address, host.HostKey()), 0o600))
	scaffoldtest.OnlySSH(t)
	code, _, stderr := invoke(t, "", "init", "dev", "--project", project, "--known-hosts", known,
		"--ssh-config", file, "--host", "web")
	require.Zero(t, code, stderr)
	assert.Contains(t, stderr, "strata: known_hosts: "+known+
		" line 1 cannot be read, and counts for no host")
	cfg, err := config.FromFile(filepath.Join(project, "Pulumi.dev.yaml"))
	require.NoError(t, err)
	assert.Equal(t, host.Port, cfg.Hosts.SSH.Port)
	assert.Equal(t, "ssh_config", cfg.Hosts.SSH.Config)
	assert.Empty(t, cfg.Hosts.SSH.KeyFile)
}

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
	"strata/internal/scaffold/scaffoldtest"
)

func TestInitWritesAStackFileThatPreflightReads(t *testing.T) {
	host, project := scaffoldtest.New(t, 31), scaffoldtest.Project(t)
	key := scaffoldtest.Key(t, host)
	t.Setenv("PATH", t.TempDir())
	args := []string{"init", "dev", "--project", project, "--key", key, "--known-hosts", os.DevNull, "--host", host.Address, "--port", fmt.Sprint(host.Port)}
	code, stdout, stderr := invoke(t, "", args...)
	require.Zero(t, code, stderr)
	assert.Contains(t, stdout, "not verified")
	assert.NotContains(t, stdout+stderr, "PRIVATE KEY")
	cfg, err := config.FromFile(filepath.Join(project, "Pulumi.dev.yaml"))
	require.NoError(t, err)
	assert.Equal(t, config.SSH{User: "root", Port: host.Port, KeyFile: key, HostKey: host.HostKey()}, cfg.Hosts.Nodes[0].SSH)
	code, stdout, stderr = invoke(t, "", "preflight", "-s", "dev", "--project", project)
	require.Zero(t, code, stdout+stderr)

	code, _, stderr = invoke(t, "", args...)
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "is there already, and is not overwritten")
}

func TestInitFailsWhereAHostHasAProblem(t *testing.T) {
	host, project := scaffoldtest.New(t, 32), scaffoldtest.Project(t)
	host.User, host.Sudo = "ada", "sudo: a password is required"
	code, stdout, stderr := invoke(t, "", "init", "dev", "--project", project, "--key", scaffoldtest.Key(t, host), "--known-hosts", os.DevNull, "--host", host.Named())
	assert.Equal(t, 1, code)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "strata: init: nothing was written:\n"+host.Address)
	assert.NoFileExists(t, filepath.Join(project, "Pulumi.dev.yaml"))
}

func TestInitReportsEveryMistakeOfTheCommandBeforeItContactsAHost(t *testing.T) {
	project := t.TempDir()
	file := filepath.Join(project, "Pulumi.dev.yaml")
	require.NoError(t, os.WriteFile(filepath.Join(project, "Pulumi.yaml"), []byte("name: strata\n"), 0o600))
	require.NoError(t, os.WriteFile(file, []byte("mine"), 0o600))
	code, _, stderr := invoke(t, "", "init", "dev", "--project", project, "--host", "10.10.0.11:ssh,fd00::1", "--host", "Root@10.10.0.12", "--known-hosts", filepath.Join(project, "gone"))
	assert.Equal(t, 2, code)
	for _, text := range []string{"nothing was written", `"ssh" is not a TCP port`, "fd00::1: nodes need an IPv4 address", `"Root" is not a user name`, "known_hosts: open"} {
		assert.Contains(t, stderr, text)
	}
	code, _, stderr = invoke(t, "", "init", "dev", "--project", project, "--host", "10.10.0.11", "--key", filepath.Join(project, "no-key"), "--known-hosts", os.DevNull)
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, file+" is there already, and is not overwritten")
	assert.Contains(t, stderr, "--key: strata:hosts.ssh.keyFile: no-key cannot be read")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "mine", string(text))
}

package state

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// passphrase is the team's. It encrypts secret in the stack file.
const passphrase, secret = "a-passphrase-that-must-not-leak", "a-secret-of-the-configuration"

// stackFile is a stack whose host is off: nothing listens on its port 9 (discard).
const stackFile = `config:
  strata:hosts:
    driver: existing
    subnet: 127.0.0.0/24
    ssh: {keyFile: key}
    nodes: [{name: server-1, role: server, address: 127.0.0.9, ssh: {port: 9}}]
  strata:metallb: {enabled: false}
  strata:certManager: {enabled: false}
  strata:timeouts: {host: 20s}
`

// person is a team member with a checkout and a PULUMI_HOME.
type person struct {
	t             *testing.T
	checkout      string
	env           []string
	hasPassphrase string
}

// newPerson clones the program's sources. It gets the stack file, as from Git, and the key, as from
// a password manager.
func newPerson(t *testing.T, name, stack, key string) *person {
	t.Helper()
	folder := filepath.Join(t.TempDir(), name)
	p := &person{t: t, checkout: filepath.Join(folder, "checkout"), hasPassphrase: passphrase}
	home := filepath.Join(folder, "home")
	require.NoError(t, os.MkdirAll(p.checkout, 0o700))
	require.NoError(t, os.MkdirAll(home, 0o700))
	copied := exec.Command("bash", "-c",
		`git ls-files -z -- . ':!tests' ':!docs' | xargs -0 cp --parents -t "$0"`, p.checkout)
	copied.Dir = root
	output, err := copied.CombinedOutput()
	require.NoError(t, err, string(output))
	for file, text := range map[string]string{"Pulumi.production.yaml": stack, "key": key} {
		require.NoError(t, os.WriteFile(filepath.Join(p.checkout, file), []byte(text), 0o600))
	}
	require.NoError(t, os.Symlink(filepath.Join(pulumiHome, "plugins"),
		filepath.Join(home, "plugins")))
	p.env = append(os.Environ(),
		"PATH="+tools+":"+filepath.Join(pulumiHome, "bin")+":"+os.Getenv("PATH"),
		"PULUMI_HOME="+home,
		"PULUMI_SKIP_UPDATE_CHECK=true",
		"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION=true", "STRATA_ARTIFACTS="+artifacts(t),
		"AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=secret",
		"AWS_EC2_METADATA_DISABLED=true",
		"GOFLAGS=-buildvcs=false -trimpath -gcflags=all=-dwarf=false",
		"CGO_ENABLED=0")
	return p
}

// artifacts returns a bundle with the stack's artifacts, which never run.
func artifacts(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	var all []map[string]any
	for _, name := range []string{"k3s", "k3s-install", "k3s-images"} {
		content := []byte("content of " + name)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), content, 0o600))
		all = append(all,
			map[string]any{"name": name, "version": "v1.36.3+k3s1", "arch": "amd64", "path": name,
				"size":   len(content),
				"sha256": fmt.Sprintf("%x", sha256.Sum256(content)), "origin": "stand-in: a text"})
	}
	text, err := json.Marshal(map[string]any{"artifacts": all})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "manifest.json"), text, 0o600))
	return folder
}

// command returns a command in the person's checkout.
func (p *person) command(name string, args ...string) *exec.Cmd {
	command := exec.Command(filepath.Join(tools, name), args...)
	command.Dir = p.checkout
	command.Env = append(p.env[:len(p.env):len(p.env)], "PULUMI_CONFIG_PASSPHRASE="+p.hasPassphrase)
	return command
}

// must runs a command that must succeed, and returns its output.
func (p *person) must(name string, args ...string) string {
	p.t.Helper()
	output, err := p.run(name, args...)
	require.NoError(p.t, err, "%s %s\n%s", name, strings.Join(args, " "), output)
	return output
}

func (p *person) run(name string, args ...string) (string, error) {
	began := time.Now()
	output, err := p.command(name, args...).CombinedOutput()
	p.t.Logf("%s %s  (%s)", name, strings.Join(args, " "),
		time.Since(began).Round(100*time.Millisecond))
	return string(output), err
}

// killed kills a command and its child processes once its output contains a text.
func (p *person) killed(when, name string, args ...string) {
	p.t.Helper()
	command := p.command(name, args...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	said := &heard{text: when, there: make(chan struct{})}
	command.Stdout, command.Stderr = said, said
	require.NoError(p.t, command.Start())
	select {
	case <-said.there:
	case <-time.After(5 * time.Minute):
		p.t.Errorf("%s did not say %q within five minutes", name, when)
	}
	require.NoError(p.t, syscall.Kill(-command.Process.Pid, syscall.SIGKILL))
	require.Error(p.t, command.Wait(), "it was killed")
	if p.t.Failed() {
		p.t.Fatal(said.all.String())
	}
}

// heard is a command's output. It signals once it contains a text.
type heard struct {
	text  string
	there chan struct{}
	all   bytes.Buffer
}

func (h *heard) Write(piece []byte) (int, error) {
	before := strings.Contains(h.all.String(), h.text)
	n, err := h.all.Write(piece)
	if !before && strings.Contains(h.all.String(), h.text) {
		close(h.there)
	}
	return n, err
}

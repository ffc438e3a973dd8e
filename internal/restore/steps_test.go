package restore

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
)

// host is a folder that the steps take for a server's root.
type host struct {
	t    *testing.T
	root string
}

const kept, etcd = "etcd-before-restore", "etcd"

func newHost(t *testing.T) *host {
	h := &host{t, t.TempDir()}
	for path, content := range map[string]string{
		"/etc/rancher/k3s/config.yaml": "token: x\n", "/etc/rancher/k3s/config.yaml.d/90-strata-join.yaml": "server: x\n",
		"/etc/systemd/system/k3s.service": "[Service]\n", "/usr/local/bin/k3s": "k3s\n", "/var/lib/strata/none": "",
		"/bin/systemctl": "#!/bin/sh\necho \"$*\" >> " + h.root + "/said\n",
		"/bin/k3s":       "#!/bin/sh\necho \"k3s $*\" >> " + h.root + "/said\n[ \"$1\" != server ]\n",
	} {
		h.write(path, content)
	}
	return h
}

func (h *host) write(path, content string) {
	require.NoError(h.t, os.MkdirAll(filepath.Dir(h.root+path), 0o755))
	require.NoError(h.t, os.WriteFile(h.root+path, []byte(content), 0o755))
}

func (h *host) read(path string) string {
	text, err := os.ReadFile(h.root + path)
	require.NoError(h.t, err)
	return string(text)
}

// run runs a step as SSH does.
func (h *host) run(step string, variables map[string]string) (string, error) {
	text := (&SSH{SHA256: "00"}).script(health.Host{Role: "server"}, step, variables)
	text = strings.NewReplacer("/etc/", h.root+"/etc/", "/var/lib/", h.root+"/var/lib/", "/usr/local/bin/", h.root+"/usr/local/bin/").Replace(text)
	command := exec.CommandContext(h.t.Context(), "sh", "-c", text)
	command.Env = append(os.Environ(), "PATH="+h.root+"/bin:"+os.Getenv("PATH"))
	out, err := command.CombinedOutput()
	return string(out), err
}

func TestARestoreThatIsRunAgainKeepsTheDataFromBeforeTheFirst(t *testing.T) {
	h := newHost(t)
	join := func() {
		out, err := h.run("rejoin", map[string]string{"first": "10.0.0.1"})
		require.NoError(t, err, out)
		assert.NoDirExists(t, h.root+database+"/"+etcd)
	}
	h.write(database+"/"+etcd+"/member", "from before")
	join()
	h.write(database+"/"+etcd+"/member", "half joined")
	join()
	assert.Equal(t, "from before", h.read(database+"/"+kept+"/member"))
	assert.Equal(t, "server: https://10.0.0.1:6443\n", h.read("/etc/rancher/k3s/config.yaml.d/90-strata-join.yaml"))

	out, err := h.run("joined", nil)
	require.NoError(t, err, out)
	h.write(database+"/"+etcd+"/member", "from before the next restore")
	join()
	assert.Equal(t, "from before the next restore", h.read(database+"/"+kept+"/member"))
}

func TestAServerWhoseResetFailedDoesNotStartAtBoot(t *testing.T) {
	h := newHost(t)
	_, err := h.run("reset", map[string]string{"snapshot": "one"})
	require.Error(t, err)
	assert.Equal(t, "disable k3s\nk3s server --cluster-reset --cluster-reset-restore-path="+h.root+database+"/snapshots/one\n", h.read("/said"))
	_, err = h.run("restart", nil)
	require.NoError(t, err)
	assert.Contains(t, h.read("/said"), "enable k3s\n")
}

func TestThePasswordsOfAllNodesAreForgotten(t *testing.T) {
	h := newHost(t)
	out, err := h.run("forget_passwords", map[string]string{"nodes": "a b"})
	require.NoError(t, err, out)
	said := h.read("/said")
	for _, node := range []string{"a", "b"} {
		assert.Regexp(t, "(?m)^k3s kubectl --cache-dir=\\S+ --namespace kube-system delete secret --ignore-not-found "+node+"[.]node-password[.]k3s$", said)
	}
	_, cache, _ := strings.Cut(said, "--cache-dir=")
	assert.NoDirExists(t, strings.Fields(cache)[0], "in root's home or elsewhere")
}

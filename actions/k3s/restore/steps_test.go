package restore

import (
	"crypto/sha256"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
	"strata/internal/k3shost"
)

// host is a folder that the steps use as a server's root.
type host struct {
	t    *testing.T
	root string
}

const kept, etcd = "etcd-before-restore", "etcd"

func newHost(t *testing.T) *host {
	h := &host{t, t.TempDir()}
	for path, content := range map[string]string{
		"/etc/rancher/k3s/config.yaml":                       "token: x\n",
		"/etc/rancher/k3s/config.yaml.d/90-strata-join.yaml": "server: x\n",
		"/etc/systemd/system/k3s.service":                    "[Service]\n",
		"/usr/local/bin/k3s":                                 "k3s\n",
		"/var/lib/strata/none":                               "", "/run/none": "",
		"/bin/systemctl": "#!/bin/sh\necho \"$*\" >> " + h.root + "/said\n",
		"/bin/k3s": "#!/bin/sh\necho \"k3s $*\" >> " + h.root +
			"/said\n[ \"$1\" != server ]\n",
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
	return h.sh((&SSH{SHA256: "00"}).script(health.Host{Role: "server"}, step, variables))
}

func (h *host) sh(text string) (string, error) {
	out, err := h.command(text).CombinedOutput()
	return string(out), err
}

func (h *host) command(text string) *exec.Cmd {
	text = strings.NewReplacer("/etc/", h.root+"/etc/", "/var/lib/", h.root+"/var/lib/", "/run/",
		h.root+"/run/", "/usr/local/bin/", h.root+"/usr/local/bin/").Replace(text)
	command := exec.CommandContext(h.t.Context(), "sh", "-c", text)
	command.Env = append(os.Environ(), "PATH="+h.root+"/bin:"+os.Getenv("PATH"))
	return command
}

func TestRepeatedRestoreKeepsDataFromBeforeFirstRestore(t *testing.T) {
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
	others, err := filepath.Glob(h.root + database + "/" + kept + ".*")
	require.NoError(t, err)
	require.Len(t, others, 1, "it is not known how long it was a member, so its data are kept as well")
	content, err := os.ReadFile(filepath.Join(others[0], "member"))
	require.NoError(t, err)
	assert.Equal(t, "half joined", string(content))
	assert.Equal(t, "server: https://10.0.0.1:6443\n",
		h.read("/etc/rancher/k3s/config.yaml.d/90-strata-join.yaml"))

	out, err := h.run("joined", nil)
	require.NoError(t, err, out)
	h.write(database+"/"+etcd+"/member", "from before the next restore")
	join()
	assert.Equal(t, "from before the next restore", h.read(database+"/"+kept+"/member"))
	others, err = filepath.Glob(h.root + database + "/" + kept + ".*")
	require.NoError(t, err)
	assert.Empty(t, others, "what an earlier restore kept goes when one more begins")
}

func TestServerDoesNotStartAtBootAfterFailedReset(t *testing.T) {
	h := newHost(t)
	_, err := h.run("stop", nil)
	require.NoError(t, err)
	_, err = h.run("reset", map[string]string{"snapshot": "one"})
	require.Error(t, err)
	assert.Equal(t, "disable k3s\nstop k3s\nk3s server --cluster-reset --cluster-reset-restore-path="+
		h.root+database+"/snapshots/one\n", h.read("/said"))
	_, err = h.run("restart", nil)
	require.NoError(t, err)
	assert.Contains(t, h.read("/said"), "enable k3s\n")
}

func TestAgentOfLostServerJoinsRestoredServer(t *testing.T) {
	const join = "/etc/rancher/k3s/config.yaml.d/90-strata-join.yaml"
	for before, after := range map[string]string{
		"server: https://10.0.0.2:6443\n":  "server: https://10.0.0.2:6443\n",
		"server: https://10.0.0.13:6443\n": "server: https://10.0.0.1:6443\n",
		"":                                 "server: https://10.0.0.1:6443\n",
	} {
		h := newHost(t)
		h.write(join, before)
		out, err := h.run("restart_agent", map[string]string{"servers": "10.0.0.1 10.0.0.2"})
		require.NoError(t, err, out)
		assert.Equal(t, after, h.read(join))
		assert.Contains(t, h.read("/said"), "restart")
	}
}

func TestForgetPasswordsDeletesSecretsOfAllNodes(t *testing.T) {
	h := newHost(t)
	out, err := h.run("forget_passwords", map[string]string{"nodes": "a b"})
	require.NoError(t, err, out)
	output := h.read("/said")
	for _, node := range []string{"a", "b"} {
		assert.Regexp(t,
			"(?m)^k3s kubectl --cache-dir=\\S+ --namespace kube-system delete secret --ignore-not-found "+node+
				"[.]node-password[.]k3s$", output)
	}
	_, cache, _ := strings.Cut(output, "--cache-dir=")
	assert.NoDirExists(t, strings.Fields(cache)[0], "in root's home or elsewhere")
}

func TestForgetNodesDeletesEachNode(t *testing.T) {
	h := newHost(t)
	out, err := h.run("forget_nodes", map[string]string{"nodes": "a b"})
	require.NoError(t, err, out)
	for _, node := range []string{"a", "b"} {
		assert.Regexp(t, "(?m)^k3s kubectl --cache-dir=\\S+ delete node --ignore-not-found "+
			"--timeout=2m "+node+"$", h.read("/said"))
	}
}

// If a stopped server reboots, it must not start with its old data. With two of three such servers,
// the old cluster would have a quorum again.
func TestStoppedServerStaysDisabledAndRefusesInstall(t *testing.T) {
	h := newHost(t)
	install := func() (string, error) {
		return h.sh(k3shost.Script("server", "00", nil,
			"one_at_a_time\n", nil))
	}
	out, err := install()
	require.NoError(t, err, out)
	out, err = h.run("stop", nil)
	require.NoError(t, err, out)
	assert.Equal(t, "disable k3s\nstop k3s\n", h.read("/said"),
		"disabled first: a kill in between leaves no server that is stopped and comes back")

	out, err = install()
	require.Error(t, err)
	assert.Contains(t, out, "a restore of this host's etcd began on 20")
	assert.Contains(t, out, "run strata restore again, before any pulumi up")
	out, err = h.run("stop", nil)
	require.NoError(t, err, "a restore that broke off is run again: "+out)

	out, err = h.run("start_again", nil)
	require.NoError(t, err, out)
	assert.Contains(t, h.read("/said"), "enable k3s\nstart --no-block k3s\n")
	out, err = install()
	require.NoError(t, err, out)
}

func TestRestoreIsRefusedWhileInstallHoldsLock(t *testing.T) {
	h := newHost(t)
	script := strings.Replace((&SSH{SHA256: "00"}).script(health.Host{Role: "server"}, "stop", nil),
		"flock -w 120", "flock -w 0", 1)
	out, err := h.sh("exec 8> /run/strata-k3s.lock; flock 8\n" + script)
	require.Error(t, err)
	assert.Contains(t, out, "another install or upgrade holds")
	assert.NoFileExists(t, h.root+"/said", "nothing was stopped")
}

// snapshot returns a file in etcd's format: content, then its sha256.
func snapshot(holds string) string {
	sum := sha256.Sum256([]byte(holds))
	return holds + string(sum[:])
}

// The snapshot has the key of token x, whose sha256 begins with 2d711642b726.
func TestSnapshotIsVerifiedBeforeServersStop(t *testing.T) {
	ours := snapshot("bolt\x00\x01/bootstrap/2d711642b726\x00pages")
	for name, test := range map[string]struct{ file, content, token, refused string }{
		"this cluster's":           {"one", ours, "token: x", ""},
		"with a token in quotes":   {"one", ours, `token: "x"`, ""},
		"with the CA in the token": {"one", ours, "token: K10abc::server:x", ""},
		"another cluster's": {"one", snapshot("bolt/bootstrap/000000000000pages"), "token: x",
			"snapshot one is not of this cluster"},
		"of no cluster": {"one", snapshot("bolt"), "token: x",
			"snapshot one is not of this cluster"},
		"cut off": {"one", ours[:len(ours)-1], "token: x",
			"snapshot one is damaged"},
		"empty":                     {"one", "", "token: x", "snapshot one is damaged"},
		"compressed, so not opened": {"one.zip", "PK", "token: x", ""},
		"no snapshot":               {"", "", "token: x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			h.write("/etc/rancher/k3s/config.yaml",
				"disable: x\n"+test.token+"\nwrite-kubeconfig-mode: x\n")
			if test.file != "" {
				h.write(database+"/snapshots/"+test.file, test.content)
			}
			out, err := h.run("fits", map[string]string{"snapshot": test.file})
			assert.NoFileExists(t, h.root+"/said")
			if test.refused == "" {
				require.NoError(t, err, out)
				return
			}
			require.Error(t, err)
			assert.Contains(t, out, test.refused)
		})
	}
}

func TestRestoreBindsStackUserMissingFromSnapshot(t *testing.T) {
	h := newHost(t)
	h.write("/bin/k3s",
		"#!/bin/sh\necho \"$*\" >> "+h.root+
			"/said\ncase \"$*\" in *get*) echo clusterrolebinding.rbac.authorization.k8s.io/strata:dev ;; esac\n")
	out, err := h.run("bind", map[string]string{"user": "strata:dev"})
	require.NoError(t, err, out)
	assert.NotContains(t, h.read("/said"), "create")
	h.write("/bin/k3s", "#!/bin/sh\ncase \"$*\" in *get*) ;; *) echo \"k3s $*\" >> "+h.root+
		"/said ;; esac\n")
	out, err = h.run("bind", map[string]string{"user": "strata:dev"})
	require.NoError(t, err, out)
	assert.Contains(t, h.read("/said"),
		"create clusterrolebinding strata:dev --clusterrole=cluster-admin --user=strata:dev\n")
	assert.Contains(t, h.read("/said"),
		"create clusterrolebinding strata:dev:reader --clusterrole=strata:reader --user=strata:dev:reader\n")
}

// A snapshot from before a revocation contains the revoked binding.
func TestRestoreDropsBindingsOfRevokedUsers(t *testing.T) {
	h := newHost(t)
	bound := "for one in cluster-admin strata:dev strata:dev:1 strata:dev:2 strata:dev:reader " +
		"strata:dev:reader:1 strata:dev:reader:2 strata:dev2 strata:other:1; do echo " +
		"clusterrolebinding.rbac.authorization.k8s.io/$one; done"
	h.write("/bin/k3s",
		"#!/bin/sh\ncase \"$*\" in *get*) "+bound+" ;; *) echo \"$3 $4 $5\" >> "+h.root+
			"/said ;; esac\n")
	out, err := h.run("bind", map[string]string{"user": "strata:dev:2"})
	require.NoError(t, err, out)
	assert.Equal(t, "delete clusterrolebinding strata:dev\ndelete clusterrolebinding strata:dev:1\n"+
		"delete clusterrolebinding strata:dev:reader\ndelete clusterrolebinding strata:dev:reader:1\n", h.read("/said"))
}

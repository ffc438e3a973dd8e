package members

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes/fake"

	"strata/internal/k3shost"
	"strata/internal/ssh/remote/sshtest"
)

// hostOf starts a host with K3s whose file system is a folder. mark is its owner mark, with a
// cluster and a node. told returns the commands that the host ran with systemctl and k3s.
func hostOf(t *testing.T, mark string) (host *sshtest.Server, told func() string) {
	t.Helper()
	root := t.TempDir()
	put(t, root+"/etc/systemd/system/k3s.service", "")
	put(t, root+"/etc/rancher/k3s/k3s.yaml", "the access")
	if mark != "" {
		put(t, root+"/var/lib/strata/owner", mark)
	}
	for _, tool := range []string{"systemctl", "k3s"} {
		text := "#!/bin/sh\necho " + tool + " \"$@\" >>" + root + "/told\n"
		require.NoError(t, os.MkdirAll(filepath.Join(root, "bin"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, "bin", tool), []byte(text), 0o755))
	}
	host = sshtest.Start(t)
	host.Handler = func(call sshtest.Call) int {
		script := strings.NewReplacer("/etc/", root+"/etc/", "/var/lib/", root+"/var/lib/", "/run/",
			root+"/run/").Replace(call.Script)
		command := exec.CommandContext(t.Context(), "sh", "-c", script)
		command.Env = append(os.Environ(), "PATH="+root+"/bin:"+os.Getenv("PATH"))
		command.Stdout, command.Stderr = call.Stdout, call.Stderr
		if command.Run() != nil {
			return 1
		}
		return 0
	}
	return host, func() string {
		text, err := os.ReadFile(filepath.Join(root, "told"))
		if !os.IsNotExist(err) {
			require.NoError(t, err)
		}
		return string(text)
	}
}

var ours = k3shost.Owner{Cluster: "cafe", TokenSHA256: "00", Project: "strata", Stack: "dev"}

// An old state, such as a restored backup, may have a node whose host belongs to another cluster by
// now.
func TestHostOfRemovedNodeIsStoppedOnlyIfOwned(t *testing.T) {
	for name, test := range map[string]struct{ mark, told, log string }{
		"this cluster's": {"cluster=cafe\nnode=server-3\n",
			"systemctl daemon-reload\nsystemctl disable --now k3s\n",
			"server-3 is out of the cluster"},
		"another cluster's": {"cluster=feed\nproject=shop\nstack=prod\nnode=server-1\n", "",
			"(project, stack, node, cluster: shop prod server-1 feed)"},
		"another node's": {"cluster=cafe\nnode=server-9\n", "",
			"found that of node server-9"},
		"without a mark, of another token": {"", "", "has a K3s that stack dev did not install"},
	} {
		t.Run(name, func(t *testing.T) {
			host, told := hostOf(t, test.mark)
			var log bytes.Buffer
			remover := &Remover{Client: fake.NewClientset(living), SSHKey: host.PrivateKey(),
				Owner: &ours, Log: &log}
			member := leaving
			member.Target = host.Target()
			member.Name = leaving.Name
			require.NoError(t, remover.hold(t.Context(), member, false))
			require.NoError(t, remover.Remove(t.Context(), member))
			assert.Equal(t, test.told, told())
			assert.Contains(t, log.String(), test.log)
		})
	}
}

func TestDrainDoesNotRunOnServerOfOtherCluster(t *testing.T) {
	for mark, drained := range map[string]bool{"cluster=cafe\nnode=server-1\n": true, "cluster=feed\nnode=server-1\n": false} {
		host, told := hostOf(t, mark)
		server := Member{Target: host.Target(), Role: "server"}
		server.Name = "server-1"
		remover := &Remover{Servers: []Member{server}, SSHKey: host.PrivateKey(), Owner: &ours,
			Log: &bytes.Buffer{}}
		remover.drain(t.Context(), leaving)
		assert.Equal(t, drained, strings.Contains(told(), "drain "+leaving.Name), mark)
	}
}

func TestAdmissionRefusesKubeconfigOfForeignHost(t *testing.T) {
	for mark, want := range map[string]string{"cluster=cafe\nnode=server-1\n": "the access", "cluster=feed\nnode=server-1\n": ""} {
		host, _ := hostOf(t, mark)
		server := Member{Target: host.Target(), Role: "server"}
		server.Name = "server-1"
		text, down, silent := Admission{Servers: []Member{server}, Owner: &ours}.ask(t.Context(),
			host.PrivateKey(), roundLimit)
		assert.Equal(t, want, string(text))
		require.NoError(t, silent)
		if want == "" {
			require.ErrorContains(t, down, "this host belongs to")
		}
	}
}

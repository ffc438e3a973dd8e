package credential

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/k3shost"
	"strata/internal/ssh/remote/sshtest"
)

// The address of a server may belong to a machine of another cluster by now. Such a server is not
// asked for its kubeconfig, and its K3s is not restarted.
func TestServerOfOtherStackIsNotChanged(t *testing.T) {
	for name, test := range map[string]struct {
		owner *k3shost.Owner
		mark  string
		left  bool
	}{
		"this cluster's":               {&k3shost.Owner{Cluster: "cafe", Stack: "dev"}, "cluster=cafe\nnode=server-1\n", false},
		"another cluster's":            {&k3shost.Owner{Cluster: "cafe", Stack: "dev"}, "cluster=feed\nproject=shop\nstack=prod\nnode=server-1\n", true},
		"another node's":               {&k3shost.Owner{Cluster: "cafe", Stack: "dev"}, "cluster=cafe\nnode=server-2\n", true},
		"a state without an owner":     {nil, "cluster=feed\nproject=shop\nstack=prod\nnode=server-1\n", false},
		"no owner mark, another token": {&k3shost.Owner{Cluster: "cafe", TokenSHA256: "00", Stack: "dev"}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			write := func(path, text string) {
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, path)), 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(root, path), []byte(text), 0o700))
			}
			write("etc/rancher/k3s/k3s.yaml", "the access")
			write("etc/rancher/k3s/config.yaml", "token: other\n")
			write("bin/systemctl", "#!/bin/sh\necho \"$@\" >>"+root+"/systemctl.log\n")
			if test.mark != "" {
				write("var/lib/strata/owner", test.mark)
			}
			server := sshtest.Start(t)
			server.Handler = func(call sshtest.Call) int {
				script := strings.NewReplacer("/etc/", root+"/etc/", "/var/lib/", root+"/var/lib/", "/run/", root+"/").Replace(call.Script)
				command := exec.Command("sh", "-c", script)
				command.Env = append(os.Environ(), "PATH="+root+"/bin:"+os.Getenv("PATH"))
				command.Stdout, command.Stderr = call.Stdout, call.Stderr
				if command.Run() != nil {
					return 1
				}
				return 0
			}
			target := server.Target()
			target.Name = "server-1"
			hosts := &SSH{Key: server.PrivateKey(), Owner: test.owner}
			clock, text, read := hosts.Admin(t.Context(), target, time.Minute)
			restarted := hosts.Restart(t.Context(), target)
			log, _ := os.ReadFile(filepath.Join(root, "systemctl.log"))
			if !test.left {
				require.NoError(t, read)
				require.NoError(t, restarted)
				assert.Equal(t, "the access", string(text))
				assert.WithinDuration(t, time.Now(), clock, time.Minute)
				assert.Equal(t, "restart k3s\n", string(log))
				write("var/lib/strata/restoring", "2027-03-01\n")
				require.ErrorContains(t, hosts.Restart(t.Context(), target), "a restore of this host's etcd began on 2027-03-01")
				again, _ := os.ReadFile(filepath.Join(root, "systemctl.log"))
				assert.Equal(t, string(log), string(again), "nothing was restarted")
				return
			}
			require.ErrorContains(t, read, "k3s: ")
			require.ErrorContains(t, restarted, "k3s: ")
			assert.Empty(t, text)
			assert.Empty(t, log)
		})
	}
}

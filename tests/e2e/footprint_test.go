package e2e

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// footprint prints everything that an installed K3s changes on a host: units, mounts, interfaces,
// routes, packet filter, processes and files. It omits kernel threads, times, counters, and changes
// that a host makes by itself.
const footprint = `
systemctl list-unit-files --no-legend --type=service,socket,target,mount | cut -d' ' -f1 | sed 's/^/unit /'
cut -d' ' -f2,3 /proc/self/mounts | grep -v '^/run/\(user\|credentials\)' | sed 's/^/mount /'
ip -o link show | cut -d: -f2 | sed 's/@.*//; s/^/interface /'
ip route show | sed 's/^/route /'
for save in iptables-save ip6tables-save iptables-legacy-save; do
  $save 2>/dev/null | grep -E '^-A|^:' | sed 's/ \[[0-9:]*\]//' | grep -vE '^:(INPUT|OUTPUT|FORWARD|PREROUTING|POSTROUTING) ACCEPT$' | sed "s/^/$save /"
done
ipset list -n 2>/dev/null | sed 's/^/ipset /'
ps -eo comm= | grep -E 'k3s|containerd|kubelet|etcd|speaker|controller|coredns|pause' | sed 's/^/process /'
find /run/containerd /var/log/pods /var/log/containers 2>/dev/null | sed 's/^/file /'
find /sys/fs/cgroup -type d \( -name 'kubepods*' -o -name k8s.io \) -prune | sed 's/^/cgroup /'
find /etc /usr/local /opt /root /home /var/lib -xdev \( -path /var/lib/systemd -o -path /var/lib/cloud -o -path /var/lib/private \) -prune -o -print | grep -v '/etc/mtab$' | sed 's/^/file /'
`

// footprints returns the footprints of all machines, by name.
func (l *hostSet) footprints() map[string]string {
	all := map[string]string{}
	for _, n := range l.nodes {
		all[n.name] = l.footprint(n.name)
	}
	return all
}

func (l *hostSet) footprint(name string) string {
	return l.must(name,
		"{ "+footprint+" } | sort -u")
}

// previewsTheSameElsewhere asserts that a preview from a checkout at another path has no changes.
func (s *stack) previewsTheSameElsewhere(t *testing.T) {
	elsewhere := filepath.Join(t.TempDir(), "another", "checkout")
	require.NoError(t, os.MkdirAll(elsewhere, 0o755))
	s.must(s.run("bash", "-c", "git ls-files -z -- . ':!tests' | xargs -0 cp --parents -t "+
		elsewhere))
	s.must(s.runIn(elsewhere, "pulumi", "preview", "--stack", s.name, "--config-file", s.config,
		"--non-interactive", "--expect-no-changes"))
}

// leaksNothing looks for the stack's secrets where others could read them: in the state's plain
// values, arguments, logs and world-readable files.
func (s *stack) leaksNothing(t *testing.T, hosts *hostSet) {
	shown := s.must(s.run("pulumi", "stack", "export", "--stack", s.name, "--show-secrets")).output
	plain := s.must(s.run("pulumi", "stack", "export", "--stack", s.name)).output
	secrets := map[string]string{"passphrase": passphrase}
	key, err := os.ReadFile(hosts.keyFile)
	require.NoError(t, err)
	secrets["ssh key"] = strings.Split(string(key), "\n")[2]
	token := hosts.must("server-1", "sed -n 's/^token: //p' /etc/rancher/k3s/config.yaml")
	secrets["token"] = strings.TrimSpace(token)
	_, clientKey, _ := strings.Cut(s.output("kubeconfig"), "client-key-data: ")
	secrets["client key"] = strings.Fields(clientKey)[0][:60]
	for what, secret := range secrets {
		require.NotEmpty(t, secret, what)
		assert.NotContains(t, plain, secret, "%s in the plain state", what)
		if what != "passphrase" {
			assert.Contains(t, shown, secret,
				"the test looks for the wrong text: the decrypted state does not hold the %s", what)
		}
		for _, n := range hosts.nodes {
			assert.Empty(t, hosts.exposed(n.name, secret), "%s on %s", what, n.name)
		}
	}
	const canary = "a-text-that-is-exposed-on-purpose"
	hosts.must("agent-1", "install -m 0644 /dev/null /tmp/canary && echo "+canary+" > /tmp/canary")
	assert.Equal(t, "file /tmp/canary", hosts.exposed("agent-1", canary),
		"the search sees what is exposed")
	hosts.must("agent-1", "rm /tmp/canary")
}

// exposed returns the places on a machine where every user could read a text: the journal,
// world-readable files, and the arguments of processes.
func (l *hostSet) exposed(name, text string) string {
	// The text is encoded, because the search would find it in its own arguments.
	encoded := base64.StdEncoding.EncodeToString([]byte(text + "\n"))
	return strings.TrimSpace(l.must(name, `pattern=$(mktemp) && base64 -d <<< '`+encoded+`' > "$pattern"
journalctl --no-pager -o cat | grep -F -f "$pattern" | sed 's/^/journal /' | head -1
find /etc /var/lib /var/log /usr/local /tmp /run -ignore_readdir_race -xdev -type f -perm -o=r -size -1024k -not -path '/run/netns/*' -print0 |
  xargs -0 grep -lF -f "$pattern" 2> /dev/null | sed 's/^/file /'
cat /proc/[0-9]*/cmdline 2> /dev/null | tr '\0' '\n' | grep -F -f "$pattern" | sed 's/^/argument /' | head -1
rm "$pattern"`))
}

// signal is a writer that closes seen once want was written.
type signal struct {
	mu   sync.Mutex
	all  bytes.Buffer
	want string
	once sync.Once
	seen chan struct{}
	at   time.Time // the time of the text; read it after seen is closed
}

func newSignal(want string) *signal { return &signal{want: want, seen: make(chan struct{})} }

func (s *signal) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all.Write(p)
	if strings.Contains(s.all.String(), s.want) {
		s.once.Do(func() { s.at = time.Now(); close(s.seen) })
	}
	return len(p), nil
}

// isSeen waits for the text for at most a duration, and reports whether it was written.
func (s *signal) isSeen(within time.Duration) bool {
	select {
	case <-s.seen:
		return true
	case <-time.After(within):
		return false
	}
}

func (s *signal) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

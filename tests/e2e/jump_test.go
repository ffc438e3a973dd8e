package e2e

import (
	"bufio"
	"context"
	"encoding/pem"
	gonet "net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/hosts/reach"
)

// A user enters these secrets for logins. The step that looks for leaked secrets searches for them.
const (
	keyPassphrase = "open-sesame-that-must-not-leak"
	sudoPassword  = "hunter2-that-must-not-leak"
)

// forwardPort is the local port of the story's tunnel.
const forwardPort = 10801

// relayCommand is a ProxyCommand that connects directly, in place of a proxy's client.
const relayCommand = `bash -c 'exec 3<>/dev/tcp/%h/%p; cat <&3 & cat >&3'`

// The hosts accept connections to sshd, the API and the load balancer's addresses only from the
// jump host. A ProxyCommand connects to the jump host. Keys have a passphrase, and sudo asks for a
// password.
func TestHostsBehindJumpHost(t *testing.T) {
	t.Parallel()
	net := network{"stj0", "10.40.0"}
	all := []node{{"server-1", "server", 11}, {"agent-1", "agent", 12}}
	hosts := existingHosts(t, "e2ej", net, append(all, node{"bastion", "agent", 5})...)
	for _, n := range all {
		// The rule is in PREROUTING, because kube-proxy's rules follow there. They send a
		// connection to the load balancer's address past INPUT.
		hosts.must(n.name, "iptables -w -t mangle -I PREROUTING -p tcp --syn -s "+net.address(1)+
			" -j DROP")
		hosts.must(n.name, "echo strata:"+sudoPassword+
			" | chpasswd && sed -i s/NOPASSWD:// /etc/sudoers.d/strata")
	}
	clean := map[string]string{"server-1": hosts.footprint("server-1"),
		"agent-1": hosts.footprint("agent-1")}
	way := t.TempDir()
	plainKey := hosts.keyFile
	hosts.keyFile = sealed(t, plainKey, way)
	writeFile(t, filepath.Join(way, "ssh_config"),
		"Host *\n  User strata\n  IdentityFile "+hosts.keyFile+"\nHost bastion\n  HostName "+
			net.address(5)+
			"\n  ProxyCommand "+relayCommand+"\nHost server-1 agent-1\n  ProxyJump bastion\n")
	known := ""
	for _, n := range hosts.nodes {
		known += net.address(n.host) + " " +
			hosts.must(n.name, "cut -d' ' -f1,2 /etc/ssh/ssh_host_ed25519_key.pub") + "\n"
	}
	writeFile(t, filepath.Join(way, "known_hosts"), known)

	section := map[string]any{
		"driver": "existing", "subnet": net.subnet(), "nodes": hosts.list(all...),
		"ssh": map[string]any{
			"config":     filepath.Join(way, "ssh_config"),
			"knownHosts": filepath.Join(way, "known_hosts"), "dynamicForward": forwardPort,
		},
	}
	sections := map[string]any{"hosts": section,
		"metallb": map[string]any{"addresses": []any{net.pool()}},
		"argocd":  map[string]any{"enabled": false}}
	s := newStack(t, "e2e-jump", sections)
	t.Cleanup(func() { _ = exec.Command("pkill", "-f", "tunnel-serve").Run() }) //nolint:noctx // the test's context has ended; it may be gone already
	secret := func(key, value string) {
		s.must(s.pulumi("config", "set", "--secret", "--path", "strata:hosts.ssh."+key, value))
	}
	s.step("an encrypted key without a passphrase is named", func(t *testing.T) {
		s.refused(t, s.up(), "private key is encrypted", "strata:hosts.ssh.passphrase")
	})
	s.step("a wrong sudo password is tried once on each host", func(t *testing.T) {
		secret("passphrase", keyPassphrase)
		secret("sudoPassword", "wrong-"+sudoPassword)
		r := s.up()
		s.refused(t, r, "sudo did not take the password of user strata",
			"strata:hosts.ssh.sudoPassword")
		assert.NotContains(t, r.output, sudoPassword)
		for _, n := range all {
			tries := hosts.must(n.name, `journalctl --no-pager -q | awk '/pam_unix.sudo:auth.: authentication failure/ { n++ } END { print n + 0 }'`)
			assert.Equal(t, "1", strings.TrimSpace(tries), "a second try may lock the user out")
			hosts.must(n.name, "test ! -e /var/lib/strata")
		}
	})
	s.step("an update succeeds through the jump host", func(t *testing.T) {
		secret("sudoPassword", sudoPassword)
		s.must(s.up())
		assert.ElementsMatch(t, names(all), nodeNames(t, s.client()))
		s.must(s.up("--expect-no-changes"))
		for _, address := range []string{net.address(11) + ":6443", s.output("ingressAddress") + ":80"} {
			_, err := (&gonet.Dialer{Timeout: time.Second}).DialContext(t.Context(), "tcp", address)
			require.Error(t, err, "there is another way to %s, and nothing was shown", address)
		}
	})
	s.step("health opens the tunnel itself", func(t *testing.T) {
		endTunnel(t)
		s.healthy()
	})
	s.step("strata tunnel serves a proxy to the ingress", s.throughItsTunnel)
	s.step("an update through the tunnel deletes a removed layer", func(t *testing.T) {
		sections["ingress"] = map[string]any{"controllers": []any{}}
		s.configure(sections)
		secret("passphrase", keyPassphrase)
		secret("sudoPassword", sudoPassword)
		s.must(s.up())
		_, err := s.client().CoreV1().Namespaces().Get(t.Context(), "traefik", metav1.GetOptions{})
		require.True(t, apierrors.IsNotFound(err), "%v", err)
	})
	s.step("preflight connects through the jump host", func(*testing.T) {
		s.with(reach.PassphraseVariable+"="+keyPassphrase, func() {
			s.with(reach.SudoPasswordVariable+"="+sudoPassword, func() {
				s.must(s.run(strata, "preflight", "--stack", s.name, "--config-file", s.config))
			})
		})
	})
	s.step("the state has no secret in plain text", func(t *testing.T) {
		plain := s.must(s.run("pulumi", "stack", "export", "--stack", s.name)).output
		shown := s.must(s.run("pulumi", "stack", "export", "--stack", s.name,
			"--show-secrets")).output
		for _, text := range []string{keyPassphrase, sudoPassword} {
			assert.NotContains(t, plain, text)
		}
		assert.NotContains(t, shown, keyPassphrase,
			"the key is open in the state, and the passphrase is not needed there")
	})
	s.step("the support archive has no secret", func(t *testing.T) {
		s.supportLeaksNothing(t, keyPassphrase, sudoPassword)
	})
	s.step("destroy opens the tunnel itself, and leaves nothing on the hosts", func(t *testing.T) {
		endTunnel(t)
		r := s.must(s.destroy())
		assert.NotContains(t, r.output, "no API server answered")
		for name, before := range clean {
			assert.Equal(t, before, hosts.footprint(name),
				"what %s has after destroy and had not before (-before +after)", name)
		}
	})
}

// endTunnel kills the process of the tunnel, which keeps running for a while after a command.
func endTunnel(t *testing.T) {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "pkill", "-f", "tunnel-serve").CombinedOutput()
	require.NoError(t, err, "no process of a tunnel: %s", output)
}

// throughItsTunnel requests a URL of the ingress controller through the proxy of `strata tunnel`.
func (s *stack) throughItsTunnel(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	command := exec.CommandContext(ctx, strata, "tunnel", "--stack", s.name, "--project", s.dir,
		"--config-file", s.config)
	command.Env = append(s.env, reach.PassphraseVariable+"="+keyPassphrase,
		reach.SudoPasswordVariable+"="+sudoPassword)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	said, err := command.StdoutPipe()
	require.NoError(t, err)
	command.Stderr = os.Stderr
	require.NoError(t, command.Start())
	line, err := bufio.NewReader(said).ReadString('\n')
	require.NoError(t, err)
	assert.Contains(t, line, "open at 127.0.0.1:"+strconv.Itoa(forwardPort))
	assert.Contains(t, s.output("tunnel"), "strata tunnel -s "+s.name)
	proxy := &url.URL{Scheme: "socks5h", Host: "127.0.0.1:" + strconv.Itoa(forwardPort)}
	transport := &http.Transport{Proxy: http.ProxyURL(proxy), ResponseHeaderTimeout: time.Minute}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		"http://"+s.output("ingressAddress")+"/", nil)
	require.NoError(t, err)
	response, err := transport.RoundTrip(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Equal(t, "https", strings.SplitN(response.Header.Get("Location"), ":", 2)[0],
		"Traefik answers, and sends to HTTPS: %s", response.Status)
	end()
	_ = command.Wait() // the interrupt ends it
}

// sealed writes a copy of a key file that a passphrase encrypts.
func sealed(t *testing.T, file, dir string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	key, err := ssh.ParseRawPrivateKey(text)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte(keyPassphrase))
	require.NoError(t, err)
	closed := filepath.Join(dir, "key")
	writeFile(t, closed, string(pem.EncodeToMemory(block)))
	return closed
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

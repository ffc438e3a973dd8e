package e2e

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// namesWhyAJoinIsRefused gives an agent an earlier cluster's token, and then turns its host into a
// server by hand. The gate must name the cause of each refusal, although K3s reports most of them
// not as errors. Finally the agent joins.
func (s *stack) namesWhyAJoinIsRefused(t *testing.T, hosts *hostSet, server, agent node) {
	const earlier = "/etc/rancher/k3s/config.yaml.d/99-earlier.yaml"
	hosts.must(agent.name, "mkdir -p /etc/rancher/k3s/config.yaml.d && echo 'token: of-an-earlier-cluster' > "+earlier)
	r := s.up()
	require.Error(t, r.err, "%s", r.output)
	for _, text := range []string{"wrong token", "not authorized", "systemctl restart k3s-agent"} {
		assert.Contains(t, r.output, text)
	}
	s.soon(t, r, "k3s-"+agent.name+"-gate", "an agent's wrong token")

	hosts.must(agent.name, `systemctl disable --now k3s-agent
cp -p /etc/rancher/k3s/config.yaml /root/agent.yaml
env -i PATH="$PATH" INSTALL_K3S_SKIP_DOWNLOAD=true INSTALL_K3S_SKIP_START=true INSTALL_K3S_EXEC=server sh /var/lib/strata/k3s-install.sh`)
	r = s.asksServer(t, hosts, agent)
	s.refused(t, r, "wrong token", "failed to bootstrap cluster data: not authorized")
	s.soon(t, r, "by-hand", "a server's wrong token")

	hosts.must(agent.name, "rm "+earlier)
	r = s.asksServer(t, hosts, agent)
	s.refused(t, r, "a setting that must be the same on all servers differs: ",
		"secrets-encryption")
	s.soon(t, r, "by-hand", "a setting that differs")

	config := hosts.must(server.name, "cat /etc/rancher/k3s/config.yaml")
	config = strings.ReplaceAll(config, "node-ip: "+hosts.net.address(server.host),
		"node-ip: "+hosts.net.address(agent.host))
	hosts.must(agent.name, "cat > /etc/rancher/k3s/config.yaml << 'END'\n"+config+"\nEND")
	r = s.asksServer(t, hosts, agent)
	s.refused(t, r, "etcd has a member of this name", "Shutdown request received: ",
		"duplicate node name found")
	s.soon(t, r, "by-hand", "the name of a member")

	hosts.must(agent.name, `systemctl disable --now k3s
rm -rf /etc/systemd/system/k3s.service* /var/lib/rancher/k3s/server
mv /root/agent.yaml /etc/rancher/k3s/config.yaml
systemctl daemon-reload
systemctl enable k3s-agent
systemctl restart --no-block k3s-agent`)
	s.must(s.up())
	assert.ElementsMatch(t, []string{server.name, agent.name}, nodeNames(t, s.client()))
}

// asksServer starts the server that was set up by hand, and runs the gate of a server on it.
func (s *stack) asksServer(t *testing.T, hosts *hostSet, host node) (r result) {
	t.Helper()
	key, err := os.ReadFile(hosts.keyFile)
	require.NoError(t, err)
	hosts.must(host.name, "systemctl reset-failed k3s; systemctl restart --no-block k3s")
	address := hosts.net.address(host.host)
	s.with("STRATA_SSH_KEY="+string(key), func() {
		r = s.feed(map[string]any{
			"kind": "server", "gate": "by-hand", "layer": "k3s", "timeout": patient,
			"timeoutKey": "none",
			"hosts": []any{map[string]any{
				"name": host.name, "address": address, "port": 22, "user": "strata",
				"role": "server",
				"hostKey": strings.TrimSpace(hosts.must(host.name,
					"cut -d' ' -f1,2 /etc/ssh/ssh_host_ed25519_key.pub")),
			}},
			"servers": []string{"https://" + address + ":6443"},
		}, "gate")
	})
	return r
}

// soon asserts that a gate named the cause before its timeout, and logs the time.
func (s *stack) soon(t *testing.T, r result, gate, what string) {
	t.Helper()
	found := regexp.MustCompile(`gate ` + gate +
		`: stuck after ([0-9a-z.]+),`).FindStringSubmatch(r.output)
	require.NotNil(t, found, "%s", r.output)
	t.Logf("%s is named after %s", what, found[1])
}

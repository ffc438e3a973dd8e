package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// looks prints the values that change if K3s or the owner of a host changes.
const looks = "sha256sum /etc/rancher/k3s/config.yaml /var/lib/strata/owner; systemctl show " +
	"-P InvocationID k3s k3s-agent"

// staysAsItIs asserts that Strata refuses changes that would destroy a running cluster: a new node
// name at the same address, and settings that K3s fixed when the cluster was created. It must also
// refuse a second stack on the server, whose destroy must remove nothing.
func (s *stack) staysAsItIs(
	t *testing.T, hosts *hostSet, sections map[string]any, server, agent node,
) {
	written, err := s.client().CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "written-before"},
		Data:       map[string]string{"key": "value"},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	before := map[string]string{server.name: hosts.must(server.name, looks),
		agent.name: hosts.must(agent.name, looks)}

	renamed := agent
	renamed.name = "worker-1"
	sections["hosts"] = hosts.hosts(server, renamed)
	s.configure(sections)
	s.refused(t, s.up(), "found that of node "+agent.name,
		"two steps: take "+agent.name+" out of strata:hosts.nodes")

	sections["hosts"] = hosts.hosts(server, agent)
	sections["k3s"] = map[string]any{"clusterCIDR": "10.52.0.0/16", "secretsEncryption": false}
	s.configure(sections)
	changed := []string{"strata:k3s.clusterCIDR is 10.52.0.0/16, and the cluster has 10.42.0.0/16",
		"strata:k3s.secretsEncryption is false"}
	r := s.run(strata, "preflight", "--stack", s.name, "--config-file", s.config, "--json")
	s.refused(t, r, changed...)
	s.refused(t, s.up(), changed...)

	other := newStack(t, "e2e-other", impatient(hosts, server))
	other.refused(t, other.up(), "stack "+s.name,
		"strata owner -s e2e-other "+server.name+" --clear")
	r = other.must(other.run(strata, "owner", "--stack", other.name, "--config-file", other.config,
		server.name))
	assert.Contains(t, r.output, "another owner's (project, stack, node, cluster: strata "+s.name+
		" "+server.name)
	other.must(other.destroy())
	assert.Empty(t, other.resources())

	for name, was := range before {
		assert.Equal(t, was, hosts.must(name, looks), "%s was changed", name)
	}
	delete(sections, "k3s")
	s.configure(sections)
	s.must(s.up())
	s.must(s.up("--expect-no-changes"))
	assert.ElementsMatch(t, []string{server.name, agent.name}, nodeNames(t, s.client()))
	found, err := s.client().CoreV1().ConfigMaps("default").Get(t.Context(), "written-before",
		metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, written.UID, found.UID)
}

// leavesAnothersHost marks the agent's host as another stack's, and removes the agent from the
// configuration. K3s must be neither stopped nor disabled nor uninstalled on that host.
func (s *stack) leavesAnothersHost(
	t *testing.T, hosts *hostSet, sections map[string]any, server, agent node,
) {
	hosts.must(agent.name,
		"sed -i 's/^cluster=.*/cluster=another/; s/^stack=.*/stack=shop/' /var/lib/strata/owner")
	before := hosts.must(agent.name, looks)
	s.configure(merged(sections, map[string]any{"hosts": hosts.hosts(server)}))
	r := s.must(s.up())
	another := "(project, stack, node, cluster: strata shop " + agent.name + " another)"
	for _, step := range []string{"could not be kept from restarting", "could not be stopped"} {
		assert.Contains(t, r.output, "members: "+agent.name+" "+step)
	}
	assert.Contains(t, r.output, another)
	assert.Equal(t, before, hosts.must(agent.name, looks), "%s was changed", agent.name)
	hosts.must(agent.name,
		"! test -e /run/systemd/system/k3s-agent.service.d/90-strata-leaving.conf")
	assert.Equal(t, []string{server.name}, nodeNames(t, s.client()))
	s.must(s.up("--expect-no-changes"))
}

const (
	// runsAnotherKubernetes replaces the K3s of an agent by a process that looks like another
	// kubelet's Pod.
	runsAnotherKubernetes = `set -eu
/usr/local/bin/k3s-agent-uninstall.sh
rm -rf /var/lib/strata /etc/rancher
systemd-run --quiet --unit=another-pod --slice=kubepods-burstable.slice sleep infinity`
	// looksAtAnotherKubernetes prints values that change if that process restarts.
	looksAtAnotherKubernetes = "systemctl is-active another-pod && systemctl show -P InvocationID " +
		"another-pod kubepods-burstable.slice"
)

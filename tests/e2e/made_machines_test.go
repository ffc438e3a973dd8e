package e2e

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A platform with one server and two agents runs on machines that Strata creates, on a fake Proxmox
// VE node.
func TestPlatformOnCreatedMachines(t *testing.T) {
	t.Parallel()
	net := network{"stm0", "10.17.0"}
	all := []node{{"server-1", "server", 11}, {"agent-1", "agent", 21}, {"agent-2", "agent", 22}}
	pve := newPVE(t, "e2e-made", net, all...)
	machines, configured := pve.machines, pve.sections(nil, all...)
	configured["k3s"] = map[string]any{"protect": true}
	s := newStack(t, "e2e-made", configured)
	destroy := []string{"destroy", "--stack", s.name, "--config-file", s.config, "--yes",
		"--skip-preview", "--non-interactive", "--parallel", "32"}
	s.step("an update completes one that was killed while it created machines",
		func(t *testing.T) {
			s.killedWhen(t, "hosts-server-1-vm creating", func() {})
			require.NoError(t, s.converges())
		})
	s.step("the cluster has exactly the configured nodes", func(t *testing.T) {
		assert.ElementsMatch(t, names(all), nodeNames(t, s.client()))
	})
	s.step("a LoadBalancer Service answers from outside", func(t *testing.T) {
		serve(t, s.client(), "hello")
		answers(t, addressOf(t, s.client(), "hello"))
	})
	s.step("health names a powered-off machine, and passes after its start",
		func(t *testing.T) {
			machines.fault(t, "dead", "agent-2", func() {
				s.unhealthy(t, nil, "agent-2", net.address(22))
			})
			s.healthy()
		})
	s.step("a protected cluster is not destroyed", func(t *testing.T) {
		before := s.resources()
		s.refused(t, s.destroy(), "default/hello", "refused, nothing was deleted",
			"strata:k3s.protect")
		assert.ElementsMatch(t, before, s.resources())
		answers(t, addressOf(t, s.client(), "hello"))
		delete(configured, "k3s")
		s.configure(configured)
		s.must(s.up())
	})
	s.step("an update restores a stack whose destroy was killed before the machines",
		func(t *testing.T) {
			s.killed(t, "metallb-release deleted", func() {}, "pulumi", destroy...)
			require.NoError(t, s.converges())
		})
	s.step("an update creates a new cluster after a destroy that was killed at the machines",
		func(t *testing.T) {
			before := s.output("kubeconfig")
			s.killed(t, "hosts-agent-1-vm deleted", func() {}, "pulumi", destroy...)
			require.NoError(t, s.converges())
			assert.ElementsMatch(t, names(all), nodeNames(t, s.client()))
			assert.NotEqual(t, before, s.output("kubeconfig"), "it is another cluster")
		})
	s.step("a leaked kubeconfig is revoked",
		func(t *testing.T) { s.revokesKubeconfigs(t, machines, configured) })
	s.step("updates renew certificates, also after they have expired",
		func(t *testing.T) { s.outlivesItsCertificates(t, machines, configured) })
	s.step("destroy with a dead machine leaves nothing", func(t *testing.T) {
		machines.fault(t, "dead", "agent-1", func() { s.must(s.destroy()) }, keepBroken)
		s.nothingLeft(t, machines)
	})
}

// running returns the output of `lab machines list`.
func (l *hostSet) running(t *testing.T) string {
	output, err := exec.Command(lab, "machines", "list").CombinedOutput()
	require.NoError(t, err, "%s", output)
	return string(output)
}

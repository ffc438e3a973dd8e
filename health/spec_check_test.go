package health

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/ssh/remote"
)

// asked is a Spec of a kind that lacks nothing but its own part.
func asked(kind Kind) Spec {
	return Spec{
		Kind: kind, Gate: "g", Timeout: metav1.Duration{Duration: time.Minute}, Servers: []string{"https://10.10.0.11:6443"},
		Hosts: []Host{{Target: remote.Target{Name: "server-1", Address: "10.10.0.11"}, Role: "server"}},
	}
}

// Without its part a gate would have nothing to observe, and be open.
func TestAKindWithoutItsPartIsRefused(t *testing.T) {
	for _, kind := range Kinds {
		err := asked(kind).Validate()
		if kind == KindAPI || kind == KindNodes || kind == KindServer {
			require.NoErrorf(t, err, "%s has none", kind)
		} else {
			require.ErrorContains(t, err, string(kind)+": missing")
		}
	}
}

func TestAHostNeedsItsNameAndItsAddress(t *testing.T) {
	for _, target := range []Host{{Target: remote.Target{Address: "10.10.0.11"}}, {Target: remote.Target{Name: "a"}}} {
		spec := asked(KindNodes)
		target.Role = "agent"
		spec.Hosts = []Host{target}
		require.ErrorContains(t, spec.Validate(), "hosts[0]: name or address is empty")
	}
}

func TestARolloutAndAVaultNameWhatTheyAskFor(t *testing.T) {
	rollout := asked(KindRollout)
	rollout.Rollout = &RolloutSpec{Workloads: []string{"traefik/Deployment/traefik"}}
	require.NoError(t, rollout.Validate())
	rollout.Rollout.Workloads = nil
	require.ErrorContains(t, rollout.Validate(), "rollout.workloads: empty")
	for _, lacks := range []VaultSpec{{Pod: "vault-0", Port: 8200}, {Namespace: "vault", Port: 8200}, {Namespace: "vault", Pod: "vault-0"}} {
		vault := asked(KindVault)
		vault.Vault = &VaultSpec{Namespace: "vault", Pod: "vault-0", Port: 8200}
		require.NoError(t, vault.Validate())
		vault.Vault = &lacks
		require.ErrorContains(t, vault.Validate(), "vault: namespace, pod or port is empty")
	}
}

// etcd's ports and its memory are a server's; only a server that holds the virtual address needs
// keepalived.
func TestAServerNeedsMoreThanAnAgent(t *testing.T) {
	server, agent := HostNeeds("server", false, false), HostNeeds("agent", true, true)
	assert.Contains(t, server.Ports, 2379)
	assert.Equal(t, []int{10250}, agent.Ports)
	assert.Greater(t, server.MinMemoryMiB, agent.MinMemoryMiB)
	assert.Empty(t, server.Programs)
	assert.Empty(t, agent.Programs)
	assert.Equal(t, []string{"keepalived"}, HostNeeds("server", false, true).Programs)
}

// A check hides behind another one that fails, not behind one that has passed.
func TestACheckWhoseConditionHasPassedIsListed(t *testing.T) {
	failing, hidden := Split([]Verdict{{Check: "unit", State: Ready}, {Check: "node", State: Waiting, After: []string{"unit"}}, {Check: "api", State: Waiting}})
	assert.Len(t, failing, 2)
	assert.Zero(t, hidden)
}

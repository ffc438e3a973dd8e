package system

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/host"
	"strata/health/kube"
)

// An API that cannot be asked says nothing of addresses: the hosts go on asking where they did.
func TestASystemGateKeepsTheAddressesThatItHasSeen(t *testing.T) {
	w := &systemWatch{names: namesFacts{
		Hosts: []host.Resolved{{Host: "a", Seen: true, Code: host.Success,
			Addresses: []string{"10.43.0.1"}}}}}
	assert.Nil(t, w.judge(), "nothing was observed yet")
	last := func() health.Verdict {
		verdicts := w.judge()
		return verdicts[len(verdicts)-1]
	}
	w.take(systemFacts{Fault: &kube.Fault{}})
	assert.Contains(t, last().Message, "no address yet")
	w.take(systemFacts{Server: "10.43.0.10", API: "10.43.0.1"})
	assert.Equal(t, health.Verdict{Check: "dns from a", State: health.Ready}, last())
	w.take(systemFacts{Fault: &kube.Fault{}})
	assert.Equal(t, health.Verdict{Check: "dns from a", State: health.Ready}, last())
}

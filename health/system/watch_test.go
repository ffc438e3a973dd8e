package system

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/host"
	"strata/health/kube"
)

// If no API server answers, the hosts continue to use the last known addresses.
func TestSystemGateKeepsLastSeenAddresses(t *testing.T) {
	w := &systemWatch{names: namesFacts{
		Hosts: []host.Resolved{{Host: "a", Seen: true, Code: host.Success,
			Addresses: []string{"10.43.0.1"}}}}}
	fault := kube.APIFault{Fault: &kube.Fault{}}
	assert.Nil(t, w.judge(), "nothing was observed yet")
	last := func() health.Verdict {
		verdicts := w.judge()
		return verdicts[len(verdicts)-1]
	}
	w.take(systemFacts{APIFault: fault})
	assert.Contains(t, last().Message, "no address yet")
	w.take(systemFacts{Server: "10.43.0.10", API: "10.43.0.1"})
	assert.Equal(t, health.Verdict{Check: "dns from a", State: health.Ready}, last())
	w.take(systemFacts{APIFault: fault})
	assert.Equal(t, health.Verdict{Check: "dns from a", State: health.Ready}, last())
}

package api

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/healthtest"
	"strata/health/kube"
)

func TestAPIVerdictsMatchFixtures(t *testing.T) {
	healthtest.RunFixtures(t, "api", func(_ struct{},
		f apiFacts) []health.Verdict {
		return judgeAPI(f)
	})
}

// A copy of a kubeconfig is never renewed, so its certificate expires. A verdict that says only 401
// would make users search for the wrong cause.
func TestUnauthorizedVerdictNamesExpiredClientCertificate(t *testing.T) {
	ends := time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC)
	refused := judgeAPI(apiFacts{Servers: []kube.APIServerFacts{{Server: "10.10.0.11:6443",
		APIFault: kube.APIFault{Seconds: 60, Fault: &kube.Fault{Kind: kube.FaultUnauthorized,
			Server: "10.10.0.11:6443"}}}}})
	before := setCertificateEnd(slices.Clone(refused), ends, ends.Add(-time.Hour))
	assert.Equal(t, refused[0].Cause, before[0].Cause,
		"it has not ended, so it is another cluster's")
	assert.Equal(t, ends, *before[0].Ends)
	after := setCertificateEnd(slices.Clone(refused), ends, ends.Add(time.Hour))
	assert.Equal(t, health.Stuck, after[0].State)
	assert.Equal(t, "the kubeconfig's client certificate ended at 2027-06-01T00:00:00Z",
		after[0].Cause)
	assert.Contains(t, after[0].Hint, "pulumi up issues another one")
	assert.Nil(t, setCertificateEnd(slices.Clone(refused), time.Time{}, ends)[0].Ends, "a token")
	open := setCertificateEnd(judgeAPI(apiFacts{Servers: []kube.APIServerFacts{{Server: "s", Code: 200,
		Passed: true}}}), ends, ends.Add(time.Hour))
	assert.Equal(t, health.Ready, open[0].State,
		"what a server says counts, not this machine's clock")
}

func TestAPISpecHasNoRequiredFields(t *testing.T) {
	assert.Equal(t, health.Traits{Kind: Kind, Optional: true}, Spec{}.Traits())
}

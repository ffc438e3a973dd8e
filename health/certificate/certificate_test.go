package certificate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"strata/health/healthtest"
	"strata/health/issuer"
	"strata/health/kube"
)

func TestCertificateVerdictsMatchFixtures(t *testing.T) {
	healthtest.RunFixtures(t, "certificate", judgeCertificate)
}

func TestCertificateFactsHaveConditionsAndRetryTime(t *testing.T) {
	object := healthtest.Decode[certificateObject](t, `
metadata: {name: c, generation: 3, deletionTimestamp: "2026-01-01T00:00:00Z"}
spec: {secretName: s, dnsNames: [a], ipAddresses: [10.0.0.1]}
status:
  conditions: [{type: Ready, status: "False", observedGeneration: 3}, {type: Issuing, status: "True", observedGeneration: 2}]
  lastFailureTime: "2026-01-01T00:00:00Z"
  failedIssuanceAttempts: 3
`)
	assert.Equal(t, certificateSeen{
		Deleting: true, Generation: 3, Secret: "s", Names: []string{"a", "10.0.0.1"},
		Retry:   "2026-01-01T04:00:00Z",
		Ready:   kube.Condition{Type: "Ready", Status: "False", ObservedGeneration: 3},
		Issuing: kube.Condition{Type: "Issuing", Status: "True", ObservedGeneration: 2},
	}, object.facts())
	assert.Equal(t, certificateSeen{Missing: true}, (*certificateObject)(nil).facts())
	fresh := (&certificateObject{}).facts()
	assert.False(t, fresh.Deleting)
	assert.Empty(t, fresh.Retry)
}

// AfterAnnotation has the last revision that the former server issued. A value that is not a number
// is ignored, because Strata did not write it.
func TestCertificateOfFormerServerIsOutdated(t *testing.T) {
	for after, want := range map[string]bool{"4": true, "5": true, "3": false, "x": false, "": false} {
		object := certificateObject{}
		object.Status.Revision = 4
		object.Annotations = map[string]string{AfterAnnotation: after}
		assert.Equal(t, want, object.facts().Outdated, after)
	}
	assert.False(t, (&certificateObject{}).facts().Outdated)
}

func TestRetryPauseDoublesPerFailureUpTo32Hours(t *testing.T) {
	for failures, want := range map[int]time.Duration{0: 1, 1: 1, 2: 2, 3: 4, 5: 16, 6: 32, 7: 32, 100: 32} {
		assert.Equal(t, want*time.Hour, pauseAfter(failures), "%d failures", failures)
	}
}

func TestNewestRequestOfNextRevisionIsSelected(t *testing.T) {
	certificate := &certificateObject{ObjectMeta: metav1.ObjectMeta{UID: "c"}}
	certificate.Status.Revision = 2
	yes := true
	request := func(name, owner, revision string, second int64) issuer.ConditionedObject {
		return issuer.ConditionedObject{ObjectMeta: metav1.ObjectMeta{
			Name: name, Annotations: map[string]string{RevisionAnnotation: revision},
			CreationTimestamp: metav1.Unix(second, 0),
			OwnerReferences:   []metav1.OwnerReference{{UID: types.UID(owner), Controller: &yes}},
		}}
	}
	found := nextRequest([]issuer.ConditionedObject{
		request("of another", "d", "3", 9), request("issued", "c", "2", 9),
		request("failed before", "c", "3", 1), request("now", "c", "3", 5),
		request("older", "c", "3", 4),
	}, certificate)
	require.NotNil(t, found)
	assert.Equal(t, "now", found.Name)
	assert.Nil(t, nextRequest([]issuer.ConditionedObject{request("issued", "c", "2", 1)},
		certificate))
}

func TestCertificateRequestFactsHaveFourConditions(t *testing.T) {
	object := healthtest.Decode[issuer.ConditionedObject](t, `
metadata: {name: r}
status: {conditions: [{type: Approved, status: "True"}, {type: Denied, status: "False"}, {type: InvalidRequest, status: "True", message: m}, {type: Ready, status: "False", reason: Failed}]}
`)
	assert.Equal(t, &requestSeen{
		Name: "r", Ready: kube.Condition{Type: "Ready", Status: "False", Reason: "Failed"},
		Approved: kube.Condition{Type: "Approved", Status: "True"},
		Denied:   kube.Condition{Type: "Denied", Status: "False"},
		Invalid:  kube.Condition{Type: "InvalidRequest", Status: "True", Message: "m"},
	}, requestFactsOf(object))
}

// Challenges of another Order in the same namespace do not count.
func TestOrderFactsHaveOnlyOwnedChallenges(t *testing.T) {
	owner := func(uid string) string {
		return "ownerReferences: [{apiVersion: acme.cert-manager.io/v1, kind: Order, " +
			"name: o, uid: " + uid + ", controller: true}]"
	}
	order := healthtest.Decode[orderObject](t, `
metadata: {name: web-1-1, uid: mine}
status: {state: pending, reason: "r "}
`)
	challenges := healthtest.Decode[struct{ Items []challengeObject }](t, `
items:
  - {metadata: {name: c, `+owner("mine")+`}, spec: {dnsName: web.example.org, type: HTTP-01}, status: {state: valid}}
  - {metadata: {name: d, `+owner("other")+`}, spec: {dnsName: other.example.org, type: HTTP-01}}
  - {metadata: {name: e, `+owner("mine")+`}, spec: {dnsName: example.org, type: DNS-01, wildcard: true}, status: {state: pending, reason: why}}
`)
	assert.Equal(t, &orderSeen{
		acmeSeen: acmeSeen{Name: "web-1-1", State: "pending", Reason: "r"},
		Challenges: []acmeSeen{
			{Name: "*.example.org", Type: "DNS-01", State: "pending", Reason: "why"},
			{Name: "web.example.org", Type: "HTTP-01", State: "valid"},
		},
	}, orderFacts(*order, challenges.Items))
}

// An Order waits for the deletion of its own Challenges. It also waits for the deletion of another
// Order's Challenge with the DNS name and type of a Challenge that has not started.
func TestOrderFactsHaveDeletedChallengesThatBlockOrder(t *testing.T) {
	order := healthtest.Decode[orderObject](t,
		"metadata: {name: web-2-1, uid: mine}\nstatus: {state: pending}")
	of := func(uid, name string, deleting bool, spec, status string) string {
		text := "\n  - {metadata: {name: " + name +
			", namespace: apps, ownerReferences: [{apiVersion: acme.cert-manager.io/v1, kind: " +
			"Order, name: o, uid: " + uid + ", controller: true}]"
		if deleting {
			text += `, deletionTimestamp: "2026-01-01T00:00:00Z"`
		}
		return text + "}, spec: {" + spec + "}, status: {" + status + "}}"
	}
	const web, failed = "dnsName: web.example.org, type: DNS-01",
		`state: pending, reason: "Error cleaning up challenge: no"`
	challenges := healthtest.Decode[struct{ Items []challengeObject }](t, "items:"+
		of("mine", "new", false, web, "")+
		of("mine", "begun", false, "dnsName: api.example.org, type: DNS-01", "state: pending")+
		of("mine", "mine", true, "dnsName: gone.example.org, type: DNS-01", failed)+
		of("other", "the-same", true, "dnsName: web.example.org, type: DNS-01, wildcard: true",
			`state: pending, reason: "Waiting for DNS-01 challenge propagation: no"`)+
		of("other", "another-type", true, "dnsName: web.example.org, type: HTTP-01", failed)+
		of("other", "another-name", true, "dnsName: shop.example.org, type: DNS-01", failed)+
		of("other", "of-one-begun", true, "dnsName: api.example.org, type: DNS-01", failed)+
		of("other", "alive", false, web, failed))
	assert.Equal(t, &orderSeen{
		acmeSeen: acmeSeen{Name: "web-2-1", State: "pending"},
		Challenges: []acmeSeen{{Name: "api.example.org", Type: "DNS-01", State: "pending"},
			{Name: "web.example.org", Type: "DNS-01"}},
		Old: []oldChallenge{
			{acmeSeen{Name: "gone.example.org", Type: "DNS-01", Deleting: true,
				Reason: "Error cleaning up challenge: no"}, "apps", "mine"},
			{acmeSeen{Name: "*.web.example.org", Type: "DNS-01", Deleting: true}, "apps",
				"the-same"},
		},
	}, orderFacts(*order, challenges.Items))
}

func TestCertificateSpecErrorsNameFields(t *testing.T) {
	good := Spec{Namespace: "n", Name: "c", Secret: "s", DNSNames: []string{"a"}}
	check := func(change func(*Spec)) error {
		spec := good
		change(&spec)
		return healthtest.Valid(spec).Validate()
	}
	require.NoError(t, check(func(*Spec) {}))
	require.ErrorContains(t, check(func(s *Spec) { s.Namespace = "" }), "namespace, name or secret")
	require.ErrorContains(t, check(func(s *Spec) { s.Name = "" }), "namespace, name or secret")
	require.ErrorContains(t, check(func(s *Spec) { s.Secret = "" }), "namespace, name or secret")
	require.ErrorContains(t, check(func(s *Spec) { s.MinRemaining.Duration = -1 }), "minRemaining")
	require.ErrorContains(t, check(func(s *Spec) { s.DNSNames = []string{""} }), "dnsNames")
	require.NoError(t, check(func(s *Spec) { s.CASecret = "cert-manager/root" }))
	for _, wrong := range []string{"root", "/root", "cert-manager/"} {
		require.ErrorContains(t, check(func(s *Spec) { s.CASecret = wrong }),
			"certificate.caSecret: expected namespace/name")
	}
	require.ErrorContains(t, healthtest.Valid(healthtest.Missing[Spec](t)).Validate(),
		"certificate: missing")
}

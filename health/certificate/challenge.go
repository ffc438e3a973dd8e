package certificate

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
	"strata/health/kube"
)

// cleanUpFailed is the prefix of a Challenge's reason if the solver could not remove the
// Challenge's answer, such as a DNS record. The Challenge then keeps its finalizer, and
// cert-manager tries again (pkg/controller/acmechallenges finalize of v1.21). cert-manager v1.19
// removes the finalizer nevertheless.
const cleanUpFailed = "Error cleaning up challenge: "

// oldChallenge is a Challenge that is being deleted.
type oldChallenge struct {
	acmeSeen
	Namespace string `json:"namespace"`
	// Object is the Challenge's metadata.name.
	Object string `json:"object"`
}

// challengeObject holds the fields of a Challenge that a gate reads.
type challengeObject struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		DNSName  string `json:"dnsName"`
		Type     string `json:"type"`
		Wildcard bool   `json:"wildcard"`
	} `json:"spec"`
	Status acmeStatus `json:"status"`
}

func (c challengeObject) facts() acmeSeen {
	name := c.Spec.DNSName
	if c.Spec.Wildcard {
		name = "*." + name // dnsName has no "*.", because the TXT record is the same
	}
	return acmeSeen{Name: name, Type: c.Spec.Type, State: c.Status.State,
		Reason: kube.Stable(c.Status.Reason)}
}

// old returns the facts of a Challenge that is being deleted. It keeps the reason only if the
// clean-up has failed.
func (c challengeObject) old() oldChallenge {
	seen := oldChallenge{acmeSeen: c.facts(), Namespace: c.Namespace, Object: c.Name}
	seen.Deleting, seen.State = true, ""
	if !strings.HasPrefix(seen.Reason, cleanUpFailed) {
		seen.Reason = ""
	}
	return seen
}

// waitsFor reports whether a Challenge has not started because of another one with the same DNS
// name and type. cert-manager processes only one of them at a time
// (pkg/controller/acmechallenges/scheduler compareChallenges).
func (c challengeObject) waitsFor(other challengeObject) bool {
	return c.Status.State == "" && c.Spec.DNSName == other.Spec.DNSName &&
		c.Spec.Type == other.Spec.Type
}

// orderFacts selects from a namespace's Challenges those of the Order, and the deleted Challenges
// that the Order waits for. The latter belong to another Order, or to this Order from an earlier
// configuration of the solver (pkg/controller/acmeorders deleteLeftoverChallenges).
func orderFacts(order orderObject, challenges []challengeObject) *orderSeen {
	seen := &orderSeen{acmeSeen: acmeSeen{Name: order.Name, State: order.Status.State,
		Reason: kube.Stable(order.Status.Reason)}}
	var own []challengeObject
	for i := range challenges {
		if challenges[i].DeletionTimestamp == nil && metav1.IsControlledBy(&challenges[i], &order) {
			own = append(own, challenges[i])
			seen.Challenges = append(seen.Challenges, challenges[i].facts())
		}
	}
	for i := range challenges {
		c := challenges[i]
		awaited := metav1.IsControlledBy(&c, &order) ||
			slices.ContainsFunc(own, func(one challengeObject) bool { return one.waitsFor(c) })
		if c.DeletionTimestamp != nil && awaited {
			seen.Old = append(seen.Old, c.old())
		}
	}
	slices.SortFunc(seen.Challenges, func(a,
		b acmeSeen) int {
		return strings.Compare(a.Name, b.Name)
	})
	slices.SortFunc(seen.Old, func(a, b oldChallenge) int {
		return strings.Compare(a.Object,
			b.Object)
	})
	return seen
}

// hindrance returns a Challenge that is being deleted and for which the Order waits; nil without
// one. It prefers a Challenge that cannot be cleaned up.
func (o orderSeen) hindrance() *oldChallenge {
	if len(o.Old) == 0 {
		return nil
	}
	return &o.Old[max(0, slices.IndexFunc(o.Old,
		func(c oldChallenge) bool { return c.Reason != "" }))]
}

// judgeHindrance reports whether the Order waits for a Challenge that cannot be cleaned up. If so,
// it sets the fix as the hint.
func (o *orderSeen) judgeHindrance(v *health.Verdict) bool {
	if o == nil || o.stage().Reason == "" || !o.stage().Deleting {
		return false
	}
	old := o.hindrance()
	what, answer := "its clean-up fails", "what its solver made"
	if old.Type == "DNS-01" {
		what = "its clean-up at the DNS provider fails"
		answer = "the TXT record _acme-challenge." + strings.TrimPrefix(old.Name, "*.")
	}
	v.Cause = "an older challenge for the name is being deleted, and " + what +
		"; cert-manager begins no other one before"
	v.Hint = "make the credential that it was made with work again, or remove " + answer +
		" and kubectl -n " + old.Namespace + " patch challenge " + old.Object +
		` --type=merge -p '{"metadata":{"finalizers":null}}'; ` + v.Hint
	return true
}

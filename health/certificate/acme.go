package certificate

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health"
	"strata/health/kube"
)

// The resources of acme.cert-manager.io. An Order requests a certificate from an ACME server for a
// CertificateRequest, and a Challenge proves control of one DNS name.
var (
	orderResource = schema.GroupVersionResource{Group: "acme.cert-manager.io", Version: "v1",
		Resource: "orders"}
	challengeResource = schema.GroupVersionResource{Group: "acme.cert-manager.io", Version: "v1",
		Resource: "challenges"}
)

// acmeFailures are the final states of an Order or a Challenge that has failed (cert-manager
// pkg/acme IsFailureState).
var acmeFailures = []string{"invalid", "expired", "errored"}

// acmeSeen describes an Order or a Challenge. Reason is the message of the ACME server, the solver
// or the self check.
type acmeSeen struct {
	// Name is the Order's name, or the DNS name that a Challenge proves.
	Name string `json:"name"`
	// Type is the Challenge's type, HTTP-01 or DNS-01; empty for an Order.
	Type string `json:"type,omitempty"`
	// State is the ACME state; empty until the ACME server has answered.
	State  string `json:"state,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Deleting is true for a Challenge that is being deleted. State is then empty. Reason is the
	// error of the clean-up; empty if the clean-up has not failed.
	Deleting bool `json:"deleting,omitempty"`
}

// orderSeen describes the Order of a CertificateRequest.
type orderSeen struct {
	acmeSeen
	// Challenges are the Order's own Challenges, sorted by name.
	Challenges []acmeSeen `json:"challenges,omitempty"`
	// Old are the Challenges that are being deleted and for which the Order waits, sorted by name.
	Old []oldChallenge `json:"old,omitempty"`
}

func (s acmeSeen) hasFailed() bool { return slices.Contains(acmeFailures, s.State) }

// String returns a clause with the reason, such as "HTTP-01 challenge for web.example.org is
// pending: the self check failed".
func (s acmeSeen) String() string {
	text := "ACME order " + s.Name
	if s.Type != "" {
		text = s.Type + " challenge for " + s.Name
	}
	switch {
	case s.Deleting:
		text += " is being deleted"
	case s.State == "":
		text += " is not known to the server yet"
	default:
		text += " is " + s.State
	}
	if s.Reason != "" {
		text += ": " + health.OneLine(s.Reason)
	}
	return text
}

// stage returns the object that holds up the Order. It is the first of these that exists: a failed
// Challenge, the failed Order, a Challenge that is being deleted, a pending Challenge, the Order
// itself.
func (o orderSeen) stage() acmeSeen {
	if i := slices.IndexFunc(o.Challenges, acmeSeen.hasFailed); i >= 0 {
		return o.Challenges[i]
	}
	open := slices.IndexFunc(o.Challenges, func(c acmeSeen) bool { return c.State != "valid" })
	switch old := o.hindrance(); {
	case o.hasFailed():
		return o.acmeSeen
	case old != nil:
		return old.acmeSeen
	case open < 0:
		return o.acmeSeen
	}
	return o.Challenges[open]
}

// evidence returns lines about the Order, its pending or failed Challenges, and deleted Challenges.
func (o orderSeen) evidence() []string {
	lines := []string{o.String()}
	for _, challenge := range o.Challenges {
		if challenge.State != "valid" {
			lines = append(lines, challenge.String())
		}
	}
	for _, old := range o.Old {
		lines = append(lines, old.String())
	}
	return lines
}

// orderObject holds the fields of an Order that a gate reads.
type orderObject struct {
	metav1.ObjectMeta `json:"metadata"`
	Status            acmeStatus `json:"status"`
}

type acmeStatus struct {
	State  string `json:"state"`
	Reason string `json:"reason"`
}

// order returns the Order of a CertificateRequest with its Challenges. It returns nil if there is
// no Order, for example because the issuer does not use ACME.
func (w *certificateWatch) order(
	ctx context.Context, s *kube.APIServer, request metav1.Object,
) (*orderSeen, error) {
	orders, err := kube.List[orderObject](ctx, s, orderResource, w.spec.Namespace,
		metav1.ListOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("orders: %w", err)
	}
	i := slices.IndexFunc(orders, func(o orderObject) bool {
		return metav1.IsControlledBy(&o,
			request)
	})
	if i < 0 {
		return nil, nil
	}
	challenges, err := kube.List[challengeObject](ctx, s, challengeResource, w.spec.Namespace,
		metav1.ListOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("challenges: %w", err)
	}
	return orderFacts(orders[i], challenges), nil
}

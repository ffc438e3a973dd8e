package certificate

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health/issuer"
	"strata/health/kube"
)

// read reads the Secret before the Certificate, so that a Ready Certificate is about this Secret or
// a newer one.
func (w *certificateWatch) read(ctx context.Context, s *kube.APIServer) (certificateFacts, error) {
	var facts certificateFacts
	var err error
	if facts.Pair, err = w.pair(ctx, s); err != nil {
		return facts, err
	}
	certificate, err := kube.Get[certificateObject](ctx, s, certificateResource, w.spec.Namespace,
		w.spec.Name)
	if err != nil {
		return facts, err
	}
	facts.Certificate = certificate.facts()
	replaced := facts.Pair.Short || facts.Certificate.Outdated
	if certificate == nil || facts.Certificate.Ready.Status == "True" && !replaced {
		return facts, nil
	}
	facts.Request, err = w.request(ctx, s, certificate)
	return facts, err
}

// pair reads the Secret.
func (w *certificateWatch) pair(ctx context.Context, s *kube.APIServer) (pairFacts, error) {
	if w.reader {
		return pairFacts{Unread: true}, nil
	}
	secret, err := kube.Get[corev1.Secret](ctx, s, kube.SecretResource, w.spec.Namespace,
		w.spec.Secret)
	if err != nil || secret == nil {
		return pairFacts{Missing: true}, err
	}
	ca, err := w.ca(ctx, s)
	if err != nil {
		return pairFacts{}, err
	}
	return pairOf(withCA(secret.Data, ca), w.spec, w.now()), nil
}

// ca returns ca.crt of the Secret Spec.CASecret; nil if CASecret is empty or the Secret is missing.
func (w *certificateWatch) ca(ctx context.Context, s *kube.APIServer) ([]byte, error) {
	namespace, name, apart := strings.Cut(w.spec.CASecret, "/")
	if !apart {
		return nil, nil
	}
	secret, err := kube.Get[corev1.Secret](ctx, s, kube.SecretResource, namespace, name)
	if err != nil || secret == nil {
		return nil, err
	}
	return secret.Data["ca.crt"], nil
}

// withCA returns a Secret's data with the issuer's present CA as ca.crt, because the Secret's own
// may be outdated. It never returns nil, which would mean that the Secret is missing.
func withCA(data map[string][]byte, ca []byte) map[string][]byte {
	all := maps.Clone(data)
	if all == nil {
		all = map[string][]byte{}
	}
	if len(ca) > 0 {
		all["ca.crt"] = ca
	}
	return all
}

// request returns the CertificateRequest for the next revision, with its ACME Order; nil without a
// CertificateRequest.
func (w *certificateWatch) request(
	ctx context.Context, s *kube.APIServer, certificate *certificateObject,
) (*requestSeen, error) {
	requests, err := kube.List[issuer.ConditionedObject](ctx, s, requestResource, w.spec.Namespace,
		metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	request := nextRequest(requests, certificate)
	if request == nil {
		return nil, nil
	}
	facts := requestFactsOf(request)
	facts.Order, err = w.order(ctx, s, request)
	return facts, err
}

// nextRequest returns the newest request for the revision after the issued one. That request is
// under way or has failed.
func nextRequest(
	requests []issuer.ConditionedObject, certificate *certificateObject,
) *issuer.ConditionedObject {
	var newest *issuer.ConditionedObject
	next := strconv.Itoa(certificate.Status.Revision + 1)
	for i := range requests {
		request := &requests[i]
		if !metav1.IsControlledBy(request, certificate) ||
			request.Annotations[RevisionAnnotation] != next {
			continue
		}
		if newest == nil || newest.CreationTimestamp.Before(&request.CreationTimestamp) {
			newest = request
		}
	}
	return newest
}

// AfterAnnotation marks a Certificate whose issuer has a new CA or ACME server. Its value is the
// last revision that the old CA or server signed.
const AfterAnnotation = "strata/reissue-after-revision"

// RevisionAnnotation is cert-manager's annotation for the revision of a CertificateRequest.
const RevisionAnnotation = "cert-manager.io/certificate-revision"

// cert-manager's pauses after failed issuances: an hour, doubled with each further failure
// (pkg/controller/certificates/trigger shouldBackoffReissuingOnFailure). cert-manager's flag
// --certificate-request-minimum-backoff-duration can change them.
const (
	issuancePause    = time.Hour
	issuancePauseMax = 32 * time.Hour
)

// certificateObject holds the fields of a Certificate that a gate reads.
type certificateObject struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		SecretName  string   `json:"secretName"`
		DNSNames    []string `json:"dnsNames"`
		IPAddresses []string `json:"ipAddresses"`
	} `json:"spec"`
	Status struct {
		Conditions             []kube.Condition `json:"conditions"`
		Revision               int              `json:"revision"`
		LastFailureTime        *metav1.Time     `json:"lastFailureTime"`
		FailedIssuanceAttempts int              `json:"failedIssuanceAttempts"`
	} `json:"status"`
}

func (o *certificateObject) facts() certificateSeen {
	if o == nil {
		return certificateSeen{Missing: true}
	}
	seen := certificateSeen{
		Deleting: o.DeletionTimestamp != nil, Generation: o.Generation, Secret: o.Spec.SecretName,
		Names:   slices.Concat(o.Spec.DNSNames, o.Spec.IPAddresses),
		Ready:   kube.ConditionOf(o.Status.Conditions, "Ready"),
		Issuing: kube.ConditionOf(o.Status.Conditions, "Issuing"),
	}
	if after, noted := o.Annotations[AfterAnnotation]; noted {
		revision, err := strconv.Atoi(after)
		seen.Outdated = err == nil && o.Status.Revision <= revision
	}
	if failed := o.Status.LastFailureTime; failed != nil {
		seen.Retry = failed.Add(pauseAfter(o.Status.FailedIssuanceAttempts)).UTC().Format(
			time.RFC3339)
	}
	return seen
}

// pauseAfter returns cert-manager's pause after a number of failures in a row.
func pauseAfter(failures int) time.Duration {
	pause := issuancePause
	for ; failures > 1 && pause < issuancePauseMax; failures-- {
		pause *= 2
	}
	return pause
}

func requestFactsOf(request *issuer.ConditionedObject) *requestSeen {
	conditions := request.Status.Conditions
	return &requestSeen{
		Name: request.Name, Ready: kube.ConditionOf(conditions, "Ready"),
		Approved: kube.ConditionOf(conditions, "Approved"),
		Denied:   kube.ConditionOf(conditions, "Denied"),
		Invalid:  kube.ConditionOf(conditions, "InvalidRequest"),
	}
}

package certificate

import (
	"context"
	"maps"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health"
	"strata/health/issuer"
	"strata/health/kube"
	"strata/health/observe"
)

var (
	certificateResource = schema.GroupVersionResource{Group: "cert-manager.io", Version: "v1",
		Resource: "certificates"}
	requestResource = schema.GroupVersionResource{Group: "cert-manager.io", Version: "v1",
		Resource: "certificaterequests"}
)

type certificateWatch struct {
	spec Spec
	now  observe.Clock
	// reader is true for a read-only user: the Secret is not read.
	reader bool
}

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	all, err := kube.ClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	w := &certificateWatch{spec: s, now: time.Now, reader: secrets.Reader}
	sources := []kube.Source{
		{Resource: certificateResource, Namespace: s.Namespace, Name: s.Name},
		{Resource: requestResource, Namespace: s.Namespace},
	}
	if !w.reader {
		sources = append(sources, kube.Source{Resource: kube.SecretResource, Namespace: s.Namespace,
			Name: s.Secret})
	}
	return &kube.Watch[certificateFacts]{
		Cluster: all, Stable: observe.NewStable(time.Now),
		Sources: sources,
		Read:    w.read,
		Failed: func(fault *kube.Fault, seconds int) certificateFacts {
			return certificateFacts{Fault: fault, Seconds: seconds}
		},
		Judge: func(facts certificateFacts) []health.Verdict { return judgeCertificate(s, facts) },
	}, nil
}

// read reads the Secret before the Certificate. A Certificate that is Ready afterwards was Ready
// with this Secret or a newer one.
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

// ca returns the CA from the Secret that the Spec names for it; nil if it names none.
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

// withCA returns a Secret's data with the issuer's present CA, because the Secret's own ca.crt may
// be a replaced one. The data of an existing Secret is not nil, even if empty.
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

// request finds the request of the next revision that the Certificate owns, with its ACME Order.
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

// nextRequest returns the newest request of the revision after the issued one: it is under way, or
// has failed.
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

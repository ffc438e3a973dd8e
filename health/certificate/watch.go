package certificate

import (
	"context"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health"
	"strata/health/issuer"
	"strata/health/kube"
	"strata/health/observe"
)

var (
	certificateResource = schema.GroupVersionResource{Group: "cert-manager.io", Version: "v1", Resource: "certificates"}
	requestResource     = schema.GroupVersionResource{Group: "cert-manager.io", Version: "v1", Resource: "certificaterequests"}
	orderResource       = schema.GroupVersionResource{Group: "acme.cert-manager.io", Version: "v1", Resource: "orders"}
)

type certificateWatch struct {
	spec    health.CertificateSpec
	cluster *kube.Cluster
	stable  *observe.Stable
	now     observe.Clock
}

// New is the constructor of kind certificate. Its error says what the Spec or the Secrets lack.
func New(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	all, err := kube.ClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	return &certificateWatch{spec: *spec.Certificate, cluster: all, stable: observe.NewStable(time.Now), now: time.Now}, nil
}

// Run implements Watch.
func (w *certificateWatch) Run(ctx context.Context, report func([]health.Verdict)) error {
	sources := []kube.Source{
		{Resource: certificateResource, Namespace: w.spec.Namespace, Name: w.spec.Name},
		{Resource: requestResource, Namespace: w.spec.Namespace},
		{Resource: kube.SecretResource, Namespace: w.spec.Namespace, Name: w.spec.Secret},
	}
	w.cluster.Observe(ctx, sources, func(ctx context.Context) []health.Verdict { return judgeCertificate(w.spec, w.observe(ctx)) }, report)
	return nil
}

func (w *certificateWatch) observe(ctx context.Context) certificateFacts {
	var facts certificateFacts
	fault, seconds := w.cluster.ObserveOnce(ctx, w.stable, func(ctx context.Context, s *kube.APIServer) (err error) {
		facts, err = w.read(ctx, s)
		return err
	})
	if fault != nil {
		return certificateFacts{Fault: fault, Seconds: seconds}
	}
	return facts
}

// read reads the Secret first: a Certificate that is Ready after that was so with this Secret or a newer one, never the other
// way around.
func (w *certificateWatch) read(ctx context.Context, s *kube.APIServer) (certificateFacts, error) {
	var facts certificateFacts
	secret, err := kube.Get[corev1.Secret](ctx, s, kube.SecretResource, w.spec.Namespace, w.spec.Secret)
	if err != nil {
		return facts, err
	}
	facts.Pair = pairFacts{Missing: true}
	if secret != nil {
		facts.Pair = pairOf(orEmpty(secret.Data), w.spec, w.now())
	}
	certificate, err := kube.Get[certificateObject](ctx, s, certificateResource, w.spec.Namespace, w.spec.Name)
	if err != nil {
		return facts, err
	}
	facts.Certificate = certificate.facts()
	if certificate == nil || facts.Certificate.Ready.Status == "True" {
		return facts, nil
	}
	facts.Request, err = w.request(ctx, s, certificate)
	return facts, err
}

// orEmpty is data that is there, although it is empty.
func orEmpty(data map[string][]byte) map[string][]byte {
	if data == nil {
		return map[string][]byte{}
	}
	return data
}

// request finds the request of the next revision that the Certificate owns, with its ACME Order.
func (w *certificateWatch) request(ctx context.Context, s *kube.APIServer, certificate *certificateObject) (*requestSeen, error) {
	requests, err := kube.List[issuer.ConditionedObject](ctx, s, requestResource, w.spec.Namespace, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	request := nextRequest(requests, certificate)
	if request == nil {
		return nil, nil
	}
	facts := requestFactsOf(request)
	orders, err := kube.List[orderObject](ctx, s, orderResource, w.spec.Namespace, metav1.ListOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, err
	}
	for i := range orders {
		if metav1.IsControlledBy(&orders[i], request) {
			facts.Order = orders[i].Name + " is " + observe.OrNone(orders[i].Status.State) + ": " + observe.OrNone(kube.Stable(orders[i].Status.Reason))
		}
	}
	return facts, nil
}

// revisionAnnotation is on every CertificateRequest that cert-manager makes for a Certificate.
const revisionAnnotation = "cert-manager.io/certificate-revision"

// nextRequest is the newest request of the revision after the one that was issued: the one under way, or the one that failed.
func nextRequest(requests []issuer.ConditionedObject, certificate *certificateObject) *issuer.ConditionedObject {
	var newest *issuer.ConditionedObject
	next := strconv.Itoa(certificate.Status.Revision + 1)
	for i := range requests {
		request := &requests[i]
		if !metav1.IsControlledBy(request, certificate) || request.Annotations[revisionAnnotation] != next {
			continue
		}
		if newest == nil || newest.CreationTimestamp.Before(&request.CreationTimestamp) {
			newest = request
		}
	}
	return newest
}

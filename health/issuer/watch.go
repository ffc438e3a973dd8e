package issuer

import (
	"context"
	"crypto/x509"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

// The resources of cert-manager.io that gates read.
var (
	issuerResource        = schema.GroupVersionResource{Group: "cert-manager.io", Version: "v1", Resource: "issuers"}
	clusterIssuerResource = schema.GroupVersionResource{Group: "cert-manager.io", Version: "v1", Resource: "clusterissuers"}
)

type issuerWatch struct {
	spec    Spec
	cluster *kube.Cluster
	stable  *observe.Stable
	// recorded is the CA that it must sign with; nil where none in particular is asked for.
	recorded *x509.Certificate
	// reader leaves out the Secret.
	reader bool
}

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	all, err := kube.ClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	watch := &issuerWatch{spec: s, cluster: all, stable: observe.NewStable(time.Now), reader: secrets.Reader}
	if ca := s.CA; ca != nil {
		if watch.recorded, err = certificateIn([]byte(ca.Certificate)); err != nil {
			return nil, fmt.Errorf("issuer.ca.certificate: %w", err)
		}
	}
	return watch, nil
}

// resourceOf is the issuer's.
func resourceOf(s Spec) schema.GroupVersionResource {
	if s.Namespace == "" {
		return clusterIssuerResource
	}
	return issuerResource
}

// Run implements Watch.
func (w *issuerWatch) Run(ctx context.Context, report func([]health.Verdict)) error {
	sources := []kube.Source{{Resource: resourceOf(w.spec), Namespace: w.spec.Namespace, Name: w.spec.Name}}
	if w.recorded != nil && !w.reader {
		namespace, name, _ := strings.Cut(w.spec.CA.Secret, "/")
		sources = append(sources, kube.Source{Resource: kube.SecretResource, Namespace: namespace, Name: name})
	}
	w.cluster.Observe(ctx, sources, func(ctx context.Context) []health.Verdict { return judgeIssuer(w.spec, w.observe(ctx)) }, report)
	return nil
}

func (w *issuerWatch) observe(ctx context.Context) issuerFacts {
	var facts issuerFacts
	fault, seconds := w.cluster.ObserveOnce(ctx, w.stable, func(ctx context.Context, s *kube.APIServer) error {
		object, err := kube.Get[ConditionedObject](ctx, s, resourceOf(w.spec), w.spec.Namespace, w.spec.Name)
		if facts = issuerFactsOf(object); err != nil {
			return err
		}
		facts.CA, err = w.ca(ctx, s)
		return err
	})
	if fault != nil {
		return issuerFacts{Fault: fault, Seconds: seconds}
	}
	facts.Seconds = w.stable.Seconds("message", facts.Ready.Message)
	return facts
}

// ConditionedObject holds the fields of an object whose state is told by conditions alone.
type ConditionedObject struct {
	metav1.ObjectMeta `json:"metadata"`
	Status            struct {
		Conditions []kube.Condition `json:"conditions"`
	} `json:"status"`
}

func issuerFactsOf(object *ConditionedObject) issuerFacts {
	if object == nil {
		return issuerFacts{Missing: true}
	}
	return issuerFacts{
		Deleting: object.DeletionTimestamp != nil, Generation: object.Generation,
		Ready: kube.ConditionOf(object.Status.Conditions, "Ready"),
	}
}

package health

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The resources of cert-manager.io that gates read.
var (
	issuerResource        = schema.GroupVersionResource{Group: "cert-manager.io", Version: "v1", Resource: "issuers"}
	clusterIssuerResource = schema.GroupVersionResource{Group: "cert-manager.io", Version: "v1", Resource: "clusterissuers"}
)

type issuerWatch struct {
	spec    IssuerSpec
	cluster *cluster
	settled *settled
}

func newIssuer(spec Spec, secrets Secrets) (Watch, error) {
	all, err := newClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	return &issuerWatch{spec: *spec.Issuer, cluster: all, settled: newSettled(time.Now)}, nil
}

// resourceOf is the issuer's.
func resourceOf(s IssuerSpec) schema.GroupVersionResource {
	if s.Namespace == "" {
		return clusterIssuerResource
	}
	return issuerResource
}

// Run implements Watch.
func (w *issuerWatch) Run(ctx context.Context, report func([]Verdict)) error {
	sources := []source{{resource: resourceOf(w.spec), namespace: w.spec.Namespace, name: w.spec.Name}}
	w.cluster.observe(ctx, sources, func(ctx context.Context) []Verdict { return judgeIssuer(w.spec, w.look(ctx)) }, report)
	return nil
}

func (w *issuerWatch) look(ctx context.Context) issuerFacts {
	var facts issuerFacts
	fault, seconds := w.cluster.look(ctx, w.settled, func(ctx context.Context, s *apiServer) error {
		object, err := get[conditionedObject](ctx, s, resourceOf(w.spec), w.spec.Namespace, w.spec.Name)
		facts = issuerFactsOf(object)
		return err
	})
	if fault != nil {
		return issuerFacts{Fault: fault, Seconds: seconds}
	}
	return facts
}

// conditionedObject is what a gate reads of an object that says how it is by conditions alone.
type conditionedObject struct {
	metav1.ObjectMeta `json:"metadata"`
	Status            struct {
		Conditions []condition `json:"conditions"`
	} `json:"status"`
}

func issuerFactsOf(object *conditionedObject) issuerFacts {
	if object == nil {
		return issuerFacts{Missing: true}
	}
	return issuerFacts{
		Deleting: object.DeletionTimestamp != nil, Generation: object.Generation,
		Ready: conditionOf(object.Status.Conditions, "Ready"),
	}
}

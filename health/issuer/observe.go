package issuer

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health/kube"
)

// resourceOf returns the issuer's resource.
func resourceOf(s Spec) schema.GroupVersionResource {
	if s.Namespace == "" {
		return clusterIssuerResource
	}
	return issuerResource
}

// read reads the issuer and its CA.
func (w *issuerWatch) read(ctx context.Context, s *kube.APIServer) (issuerFacts, error) {
	object, err := kube.Get[ConditionedObject](ctx, s, resourceOf(w.spec), w.spec.Namespace,
		w.spec.Name)
	if err != nil {
		return issuerFacts{}, err
	}
	facts := issuerFactsOf(object)
	if facts.CA, err = w.ca(ctx, s); err == nil {
		facts.Seconds = w.stable.Seconds("message", facts.Ready.Message)
	}
	return facts, err
}

// ConditionedObject holds the metadata and conditions of an object. Gates read no other fields.
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

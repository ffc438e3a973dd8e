package crds

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health/kube"
)

const crdPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// crdObject holds the fields of a CustomResourceDefinition that a gate reads. It leaves out the
// schemas, which are nearly all of the object.
type crdObject struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Group    string   `json:"group"`
		Names    crdNames `json:"names"`
		Versions []struct {
			Name   string `json:"name"`
			Served bool   `json:"served"`
		} `json:"versions"`
	} `json:"spec"`
	Status struct {
		Conditions    []kube.Condition `json:"conditions"`
		AcceptedNames crdNames         `json:"acceptedNames"`
	} `json:"status"`
}

type crdNames struct {
	Plural     string   `json:"plural"`
	Singular   string   `json:"singular"`
	ShortNames []string `json:"shortNames"`
	Kind       string   `json:"kind"`
	ListKind   string   `json:"listKind"`
}

// resources returns the names for requests, each of which is unique in a group.
func (n crdNames) resources() []string {
	return append([]string{n.Plural, n.Singular}, n.ShortNames...)
}

func (n crdNames) shares(other crdNames) bool {
	common := func(a, b []string) bool {
		return slices.ContainsFunc(a, func(name string) bool {
			return name != "" &&
				slices.Contains(b, name)
		})
	}
	return common(n.resources(), other.resources()) ||
		common([]string{n.Kind, n.ListKind}, []string{other.Kind, other.ListKind})
}

func readCRD(ctx context.Context, s *kube.APIServer, name string) (*crdObject, error) {
	object := &crdObject{}
	found, err := s.GetJSON(ctx, crdPath+"/"+name, "", object)
	if err != nil || !found {
		return nil, err
	}
	return object, nil
}

// servedResources returns the resources of the CRD's served versions.
func (o *crdObject) servedResources() []kube.ServedResource {
	if o == nil {
		return nil
	}
	var all []kube.ServedResource
	for _, version := range o.Spec.Versions {
		if version.Served {
			all = append(all, kube.ServedResource{Group: o.Spec.Group, Version: version.Name,
				Plural: o.Spec.Names.Plural})
		}
	}
	return all
}

func (o *crdObject) facts(name string) crdFacts {
	if o == nil {
		return crdFacts{Name: name, Missing: true}
	}
	facts := crdFacts{Name: name, Deleting: o.DeletionTimestamp != nil, Finalizers: o.Finalizers}
	facts.Names = kube.ConditionOf(o.Status.Conditions, "NamesAccepted")
	facts.Established = kube.ConditionOf(o.Status.Conditions, "Established")
	for _, r := range o.servedResources() {
		facts.Served = append(facts.Served, r.Version)
	}
	return facts
}

package crds

import (
	"context"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
	"strata/health/kube"
)

// read reads all CRDs in parallel.
func (w *crdsWatch) read(ctx context.Context, s *kube.APIServer) (crdsFacts, error) {
	objects, errs := make([]*crdObject, len(w.spec.Names)), make([]error, len(w.spec.Names))
	var reads sync.WaitGroup
	for i, name := range w.spec.Names {
		reads.Go(func() { objects[i], errs[i] = readCRD(ctx, s, name) })
	}
	reads.Wait()
	var all crdsFacts
	for i, object := range objects {
		if errs[i] != nil {
			return all, errs[i]
		}
		facts := object.facts(w.spec.Names[i])
		if facts.Names.Status == "False" {
			if err := facts.findOwner(ctx, s, object); err != nil {
				return all, err
			}
		}
		all.CRDs = append(all.CRDs, facts)
		all.wanted = append(all.wanted, object.servedResources()...)
	}
	return all, nil
}

// discover reads the discovery of every API server if every CRD is Established.
func (w *crdsWatch) discover(ctx context.Context, facts crdsFacts) []discoveryFacts {
	all := make([]discoveryFacts, len(w.cluster.Servers))
	established := health.StateOf(judgeCRDs(w.spec,
		crdsFacts{APIFault: facts.APIFault, CRDs: facts.CRDs})) == health.Ready
	var round sync.WaitGroup
	for i, s := range w.cluster.Servers {
		all[i].Server = s.Name
		if !established {
			continue
		}
		all[i].Asked = true
		round.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, kube.RequestTimeout)
			defer cancel()
			absent, err := s.Absent(ctx, facts.wanted)
			if err != nil {
				all[i].Fault = s.Fault(err)
			}
			all[i].Absent = absent
		})
	}
	round.Wait()
	for i := range all {
		all[i].SetSeconds(w.stable, all[i].Server)
	}
	return all
}

// findOwner sets Owner to the CRD of the same group that uses one of the CRD's names.
func (c *crdFacts) findOwner(ctx context.Context, s *kube.APIServer, object *crdObject) error {
	var all struct {
		Items []crdObject `json:"items"`
	}
	if _, err := s.GetJSON(ctx, crdPath, "", &all); err != nil {
		return err
	}
	for i := range all.Items {
		other := &all.Items[i]
		if other.Name != object.Name && other.Spec.Group == object.Spec.Group &&
			other.Status.AcceptedNames.shares(object.Spec.Names) {
			c.Owner, c.Leaving = other.Name, other.DeletionTimestamp != nil
		}
	}
	return nil
}

const crdPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// crdObject holds the fields of a CustomResourceDefinition that a gate reads. It omits the schemas,
// which are most of the object.
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

// resources returns the plural, singular and short names, which must be unique in a group.
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

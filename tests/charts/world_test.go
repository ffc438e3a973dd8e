package charts_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"strata/health"
)

// world has the objects of a cluster after an update, and the gates that observe them.
type world struct {
	gates []health.Spec
	// charts are the objects of charts, and own those of the program. definitions are all CRDs,
	// from charts and from bundles.
	charts, own []object
	definitions []apiextensionsv1.CustomResourceDefinition
	// releases are all releases, as namespace/name.
	releases []string

	problems, unchecked []string
}

// newWorld renders every release of a program.
func newWorld(t *testing.T, p *program) *world {
	t.Helper()
	w := &world{gates: p.gates, own: p.objects}
	for _, release := range p.releases {
		objects, err := release.render()
		require.NoError(t, err)
		w.charts = append(w.charts, objects...)
		w.releases = append(w.releases, release.namespace+"/"+release.name)
	}
	for _, one := range append(slices.Clone(w.charts), p.definitions...) {
		if one.Kind == "CustomResourceDefinition" {
			w.definitions = append(w.definitions, as[apiextensionsv1.CustomResourceDefinition](one))
		}
	}
	return w
}

// check checks every gate and every object against the world.
func (w *world) check() (problems, unchecked []string) {
	w.problems, w.unchecked = nil, nil
	for _, gate := range w.gates {
		w.gate(gate)
	}
	for _, one := range w.own {
		w.edges(one)
	}
	for _, one := range w.charts {
		w.workload(one)
	}
	w.hints()
	return w.problems, w.unchecked
}

// all returns the objects of charts and of the program, because a route may lead to Services of
// both.
func (w *world) all() []object { return append(slices.Clone(w.charts), w.own...) }

// need records a problem unless ok is true.
func (w *world) need(ok bool, format string, args ...any) {
	if !ok {
		w.problems = append(w.problems, fmt.Sprintf(format, args...))
	}
}

// skip records a property that the charts cannot show.
func (w *world) skip(format string, args ...any) {
	w.unchecked = append(w.unchecked, fmt.Sprintf(format, args...))
}

// find returns the object of a kind and name; an empty namespace matches any, for cluster-wide
// objects.
func find(objects []object, kind, namespace, name string) (object, bool) {
	i := slices.IndexFunc(objects, func(o object) bool {
		return o.Kind == kind && o.Name == name && (namespace == "" || o.Namespace == namespace)
	})
	if i < 0 {
		return object{}, false
	}
	return objects[i], true
}

// served returns the CRD of a kind, and whether a CRD serves this version of it.
func (w *world) served(group, version, kind string) (
	apiextensionsv1.CustomResourceDefinition, bool) {
	for _, one := range w.definitions {
		if one.Spec.Group == group && one.Spec.Names.Kind == kind &&
			slices.ContainsFunc(one.Spec.Versions,
				func(v apiextensionsv1.CustomResourceDefinitionVersion) bool {
					return v.Name == version && v.Served
				}) {
			return one, true
		}
	}
	return apiextensionsv1.CustomResourceDefinition{}, false
}

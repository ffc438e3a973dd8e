package server

import (
	"context"
	"fmt"
	"sort"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"strata/tests/lab/plugins/kubernetes/difference"
)

// Diff compares the new inputs with what the live object of the state has at
// the places that the old inputs named: after a refresh it shows drift there.
func (s *Server) Diff(
	ctx context.Context, req *pulumirpc.DiffRequest,
) (*pulumirpc.DiffResponse, error) {
	urn := resource.URN(req.GetUrn())
	if isRelease(urn) {
		return s.releases.Diff(ctx, req)
	}
	olds, err := unmarshal(req.GetOlds())
	if err != nil {
		return nil, err
	}
	news, err := unmarshal(req.GetNews())
	if err != nil {
		return nil, err
	}
	oldInputs, live := parseCheckpoint(olds)
	inputs := normalize(object(news))
	before := &unstructured.Unstructured{Object: difference.Prune(live.Object, normalize(oldInputs).Object)}
	if err := s.align(before, live, inputs); err != nil {
		return nil, err
	}
	changes := difference.Compare(before.Object, inputs.Object)
	if err := ignore(changes, req.GetIgnoreChanges()); err != nil {
		return nil, err
	}
	return s.respond(changes, live, inputs), nil
}

// align makes differences of identity show only where they are real.
func (s *Server) align(before, live, inputs *unstructured.Unstructured) error {
	namespaced := live.GetNamespace() != ""
	if s.cluster != nil {
		var err error
		if namespaced, err = s.cluster.Namespaced(inputs.GroupVersionKind()); err != nil {
			return fmt.Errorf("API server returned error when asked if resource type %s is namespaced: %w",
				inputs.GroupVersionKind(), err)
		}
	}
	for _, obj := range []*unstructured.Unstructured{before, inputs} {
		switch {
		case !namespaced:
			unstructured.RemoveNestedField(obj.Object, "metadata", "namespace")
		case obj.GetNamespace() == "" && !unknown(obj.Object["metadata"]):
			obj.SetNamespace("default")
		}
	}
	if inputs.GetName() != "" {
		before.SetName(live.GetName())
	}
	if before.GroupVersionKind().Empty() {
		before.SetGroupVersionKind(inputs.GroupVersionKind())
	}
	return nil
}

func ignore(changes map[string]pulumirpc.PropertyDiff_Kind, ignored []string) error {
	for _, text := range ignored {
		ignorePath, err := resource.ParsePropertyPath(text)
		if err != nil {
			return fmt.Errorf("failed to parse ignore path: %w", err)
		}
		for changed := range changes {
			path, err := resource.ParsePropertyPath(changed)
			if err != nil {
				return fmt.Errorf("failed to parse diff path: %w", err)
			}
			if ignorePath.Contains(path) {
				delete(changes, changed)
			}
		}
	}
	return nil
}

// respond replaces before it deletes, except where the same name must be free
// first.
func (s *Server) respond(
	changes map[string]pulumirpc.PropertyDiff_Kind, live, inputs *unstructured.Unstructured,
) *pulumirpc.DiffResponse {
	response := &pulumirpc.DiffResponse{
		Changes: pulumirpc.DiffResponse_DIFF_NONE, HasDetailedDiff: true,
		DetailedDiff: map[string]*pulumirpc.PropertyDiff{},
	}
	paths := s.forceNew(inputs)
	for changed, kind := range changes {
		response.Changes = pulumirpc.DiffResponse_DIFF_SOME
		if forces(paths, changed) {
			kind = difference.Replacing(kind)
			response.Replaces = append(response.Replaces, changed)
		}
		response.DetailedDiff[changed] = difference.Shown(kind)
	}
	sort.Strings(response.Replaces)
	response.DeleteBeforeReplace = len(response.Replaces) > 0 && inputs.GetName() == live.GetName() && inputs.GetNamespace() == live.GetNamespace()
	return response
}

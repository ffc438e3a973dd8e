package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/tests/lab/plugins/kubernetes/await"
	"strata/tests/lab/plugins/kubernetes/difference"
)

// Read refreshes the object, and says so when it is gone. Without old inputs it
// imports. The built-in rules are looked at once; waitFor is not.
func (s *Server) Read(
	ctx context.Context, req *pulumirpc.ReadRequest,
) (*pulumirpc.ReadResponse, error) {
	urn := resource.URN(req.GetUrn())
	if s.unreachable != "" {
		return s.readUnreachable(urn)
	}
	if isRelease(urn) {
		return s.releases.Read(ctx, req)
	}
	olds, err := unmarshal(req.GetProperties())
	if err != nil {
		return nil, err
	}
	given, err := unmarshal(req.GetInputs())
	if err != nil {
		return nil, err
	}
	inputs, imported, err := readInputs(urn, req, olds, given)
	if err != nil {
		return nil, err
	}
	live, err := s.get(ctx, inputs)
	if err != nil || live == nil {
		return &pulumirpc.ReadResponse{}, err
	}
	var problem error
	if !imported {
		problem = await.ReadyNow(ctx, s.cluster, inputs, live)
	}
	return s.readResponse(req, olds, given, inputs, live, problem, imported)
}

// get returns nil for an object, or a kind, that the server no longer has.
func (s *Server) get(ctx context.Context, like *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	client, err := s.cluster.Client(like)
	if meta.IsNoMatchError(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	live, err := client.Get(ctx, like.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return live, err
}

// readInputs finds out which object is meant: by the old inputs, the old state,
// or for an import by type and id.
func readInputs(
	urn resource.URN, req *pulumirpc.ReadRequest, olds, given resource.PropertyMap,
) (inputs *unstructured.Unstructured, imported bool, err error) {
	namespace, name := parseID(req.GetId())
	if name == "" {
		return nil, false, fmt.Errorf("failed to read resource because of a failure to parse resource name "+
			"from request ID: %s", req.GetId())
	}
	inputs = normalize(object(given))
	if !inputs.GroupVersionKind().Empty() {
		inputs.SetName(name)
		return inputs, false, nil
	}
	_, live := parseCheckpoint(olds)
	kind := live.GroupVersionKind()
	if kind.Empty() {
		imported = true
		if kind, err = kindOf(urn); err != nil {
			return nil, false, err
		}
	}
	inputs.SetGroupVersionKind(kind)
	inputs.SetName(name)
	if namespace != "" {
		inputs.SetNamespace(namespace)
	}
	return inputs, imported, nil
}

// kindOf reads kubernetes:GROUP/VERSION:Kind.
func kindOf(urn resource.URN) (schema.GroupVersionKind, error) {
	version, err := schema.ParseGroupVersion(string(urn.Type().Module().Name()))
	if err != nil {
		return schema.GroupVersionKind{}, fmt.Errorf("reading the kind of %s: %w", urn.Type(), err)
	}
	if version.Group == "core" {
		version.Group = ""
	}
	return version.WithKind(string(urn.Type().Name())), nil
}

func (s *Server) readResponse(
	req *pulumirpc.ReadRequest, olds, given resource.PropertyMap, inputs, live *unstructured.Unstructured,
	problem error, imported bool,
) (*pulumirpc.ReadResponse, error) {
	manager, err := managerOf(olds)
	if err != nil {
		return nil, err
	}
	liveInputs := &unstructured.Unstructured{Object: difference.Prune(live.Object, inputs.Object)}
	if imported {
		liveInputs = importable(live)
	}
	state, err := s.marshal(checkpoint(liveInputs, live, given, apiVersionOf(olds, inputs), manager))
	if err != nil {
		return nil, err
	}
	kept := properties(liveInputs)
	hide(kept, given)
	stored, err := s.marshal(kept)
	if err != nil {
		return nil, err
	}
	if problem != nil {
		return nil, initFailed(req.GetId(), problem, state, stored)
	}
	return &pulumirpc.ReadResponse{Id: req.GetId(), Properties: state, Inputs: stored}, nil
}

// importable is a live object without what only the server writes.
func importable(live *unstructured.Unstructured) *unstructured.Unstructured {
	inputs := live.DeepCopy()
	unstructured.RemoveNestedField(inputs.Object, "status")
	for _, field := range readOnly {
		unstructured.RemoveNestedField(inputs.Object, "metadata", field)
	}
	return inputs
}

func (s *Server) readUnreachable(urn resource.URN) (*pulumirpc.ReadResponse, error) {
	s.log(diag.Warning, urn)("configured Kubernetes cluster is unreachable: " + s.unreachable)
	if s.settings.deleteUnreachable {
		s.log(diag.Info, urn)("configured Kubernetes cluster is unreachable and the `deleteUnreachable` option " +
			"is enabled. Deleting the unreachable resource from Pulumi state")
		return &pulumirpc.ReadResponse{}, nil
	}
	return nil, errors.New("failed to read resource state due to unreachable cluster. If the cluster was " +
		"deleted, you can remove this resource from Pulumi state by rerunning the operation with the " +
		"PULUMI_K8S_DELETE_UNREACHABLE environment variable set to \"true\"")
}

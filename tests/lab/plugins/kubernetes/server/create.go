package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"strata/tests/lab/plugins/kubernetes/await"
	"strata/tests/lab/plugins/kubernetes/cluster"
)

// Create posts the object and waits until it is ready. A preview posts it as a
// server-side dry run, which calls admission webhooks, if everything is known.
func (s *Server) Create(
	ctx context.Context, req *pulumirpc.CreateRequest,
) (*pulumirpc.CreateResponse, error) {
	urn := resource.URN(req.GetUrn())
	if isRelease(urn) {
		return s.releases.Create(ctx, req)
	}
	if err := s.reachable(); err != nil && !req.GetPreview() {
		return nil, err
	}
	news, err := unmarshal(req.GetProperties())
	if err != nil {
		return nil, err
	}
	inputs := object(news)
	asGiven := &pulumirpc.CreateResponse{Properties: req.GetProperties()}
	if req.GetPreview() && !s.canPreview(inputs) {
		return asGiven, nil
	}
	manager, err := managerOf(nil)
	if err != nil {
		return nil, err
	}
	live, err := s.post(urn, write{inputs: inputs.DeepCopy(), manager: manager, preview: req.GetPreview()})
	if err != nil {
		if req.GetPreview() && previewFails(err) {
			return asGiven, nil
		}
		return nil, createFailed(urn, inputs, err)
	}
	var waiting error
	if req.GetPreview() {
		unstructured.RemoveNestedField(live.Object, "status")
	} else {
		live, waiting, err = s.created(urn, inputs, live, req.GetTimeout())
		if err != nil {
			return nil, err
		}
	}
	state, err := s.marshal(checkpoint(inputs, live, news, inputs.GetAPIVersion(), manager))
	if err != nil {
		return nil, err
	}
	if waiting != nil {
		return nil, initFailed(id(live), fmt.Errorf("resource %q was successfully created, but the Kubernetes API "+
			"server reported that it failed to fully initialize or become live: %w", urn, waiting), state, nil)
	}
	response := &pulumirpc.CreateResponse{Properties: state}
	if !req.GetPreview() {
		response.Id = id(live)
	}
	return response, nil
}

// created waits for a created object. A mistake in its waitFor annotation is an
// error that stores nothing: the object stays behind in the cluster, as with
// the official plugin.
func (s *Server) created(
	urn resource.URN, inputs, live *unstructured.Unstructured, timeout float64,
) (_ *unstructured.Unstructured, waiting, err error) {
	live, waiting = await.Ready(s.ctx, s.cluster, inputs, live, await.Timeout(timeout, inputs), s.status(urn))
	s.status(urn)("")
	var partial *await.Partial
	if waiting != nil && !errors.As(waiting, &partial) {
		return nil, nil, createFailed(urn, inputs, waiting)
	}
	if cluster.IsDefinition(inputs) {
		s.cluster.Reset()
	}
	return live, waiting, nil
}

func (s *Server) canPreview(inputs *unstructured.Unstructured) bool {
	return s.cluster != nil && !unknown(inputs.Object) && s.cluster.Serves(inputs.GroupVersionKind())
}

// previewFails lists what a dry run may fail with without failing the preview:
// no right to it, a namespace that this program makes first, an object that it
// replaces.
func previewFails(err error) bool {
	var status *apierrors.StatusError
	if apierrors.IsForbidden(err) || apierrors.IsAlreadyExists(err) {
		return true
	}
	if !errors.As(err, &status) || status.ErrStatus.Details == nil {
		return false
	}
	return apierrors.IsNotFound(err) && status.ErrStatus.Details.Kind == "namespaces"
}

func createFailed(urn resource.URN, inputs *unstructured.Unstructured, err error) error {
	if meta.IsNoMatchError(err) {
		return fmt.Errorf("creation of resource %q with kind %s/%s failed because the Kubernetes API server reported "+
			"that the apiVersion for this resource does not exist. Verify that any required CRDs have been created: %w",
			urn, inputs.GetAPIVersion(), inputs.GetKind(), err)
	}
	return fmt.Errorf("resource %q was not successfully created by the Kubernetes API server: %w", urn, err)
}

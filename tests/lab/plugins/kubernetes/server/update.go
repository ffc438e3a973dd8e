package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"strata/tests/lab/plugins/kubernetes/await"
)

// Update applies the inputs and waits until the object is ready again. Whatever
// fails once the object exists is stored as an initialization error.
func (s *Server) Update(
	ctx context.Context, req *pulumirpc.UpdateRequest,
) (*pulumirpc.UpdateResponse, error) {
	urn := resource.URN(req.GetUrn())
	if isRelease(urn) {
		return s.releases.Update(ctx, req)
	}
	if err := s.reachable(); err != nil && !req.GetPreview() {
		return nil, err
	}
	olds, err := unmarshal(req.GetOlds())
	if err != nil {
		return nil, err
	}
	news, err := unmarshal(req.GetNews())
	if err != nil {
		return nil, err
	}
	inputs := normalize(object(news))
	if req.GetPreview() && !s.canPreview(inputs) {
		return &pulumirpc.UpdateResponse{Properties: req.GetNews()}, nil
	}
	oldInputs, stored := parseCheckpoint(olds)
	manager, err := managerOf(olds)
	if err != nil {
		return nil, err
	}
	w := write{inputs: inputs.DeepCopy(), manager: manager, preview: req.GetPreview()}
	live, waiting := s.updated(ctx, urn, w, stored, req)
	if waiting != nil {
		if req.GetPreview() && apierrors.IsForbidden(waiting) {
			return &pulumirpc.UpdateResponse{Properties: req.GetNews()}, nil
		}
		if live, err = s.afterFailure(ctx, urn, stored, waiting); err != nil {
			return nil, err
		}
	}
	state, err := s.marshal(checkpoint(inputs, live, news, apiVersionOf(olds, oldInputs), manager))
	if err != nil {
		return nil, err
	}
	if waiting != nil {
		return nil, initFailed(id(live), fmt.Errorf("the Kubernetes API server reported that %q failed to fully "+
			"initialize or become live: %w", id(live), waiting), state, nil)
	}
	return &pulumirpc.UpdateResponse{Properties: state}, nil
}

func (s *Server) updated(
	ctx context.Context, urn resource.URN, w write, stored *unstructured.Unstructured, req *pulumirpc.UpdateRequest,
) (*unstructured.Unstructured, error) {
	client, err := s.cluster.Client(w.inputs)
	if err != nil {
		return nil, err
	}
	live, err := client.Get(ctx, stored.GetName(), metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	w.inputs.SetName(live.GetName())
	if err := keepIgnored(w.inputs, live, req.GetIgnoreChanges()); err != nil {
		return nil, err
	}
	live, err = s.put(ctx, w, live)
	if err != nil || w.preview {
		return live, err
	}
	live, err = await.Ready(s.ctx, s.cluster, w.inputs, live, await.Timeout(req.GetTimeout(), w.inputs), s.status(urn))
	s.status(urn)("")
	return live, err
}

// keepIgnored sends what is live for fields whose change is ignored.
func keepIgnored(inputs, live *unstructured.Unstructured, ignored []string) error {
	for _, text := range ignored {
		path, err := resource.ParsePropertyPath(text)
		if err != nil {
			return fmt.Errorf("unable to parse ignoreField path %q: %w", text, err)
		}
		fields := make([]string, len(path))
		for i, step := range path {
			fields[i] = fmt.Sprint(step)
		}
		value, found, err := unstructured.NestedFieldCopy(live.Object, fields...)
		if err != nil || !found {
			continue
		}
		if err := unstructured.SetNestedField(inputs.Object, value, fields...); err != nil {
			return fmt.Errorf("keeping the ignored field %q: %w", text, err)
		}
	}
	return nil
}

func (s *Server) afterFailure(
	ctx context.Context, urn resource.URN, stored *unstructured.Unstructured, cause error,
) (*unstructured.Unstructured, error) {
	if meta.IsNoMatchError(cause) {
		return nil, fmt.Errorf("update of resource %q failed because the Kubernetes API server reported that the "+
			"apiVersion for this resource does not exist. Verify that any required CRDs have been created: %w", urn, cause)
	}
	client, err := s.cluster.Client(stored)
	if err != nil {
		return nil, err
	}
	live, err := client.Get(ctx, stored.GetName(), metav1.GetOptions{})
	if err != nil {
		return nil, errors.Join(
			fmt.Errorf("update of resource %q failed: %w", urn, cause),
			fmt.Errorf("unable to get cluster state: %w", err),
		)
	}
	return live, nil
}

package server

import (
	"context"
	"errors"

	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/emptypb"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"strata/tests/lab/plugins/kubernetes/await"
)

// Delete deletes the object with its dependents and waits until it is gone. An
// object or a kind that is gone already is deleted.
func (s *Server) Delete(
	ctx context.Context, req *pulumirpc.DeleteRequest,
) (*emptypb.Empty, error) {
	urn := resource.URN(req.GetUrn())
	if s.unreachable != "" && !isRelease(urn) {
		return s.deleteUnreachable(urn)
	}
	if isRelease(urn) {
		return s.releases.Delete(ctx, req)
	}
	olds, err := unmarshal(req.GetProperties())
	if err != nil {
		return nil, err
	}
	inputs, live := parseCheckpoint(olds)
	if err := s.delete(ctx, urn, req, inputs, live); err != nil {
		return nil, s.deleteFailed(olds, inputs, err)
	}
	return &emptypb.Empty{}, nil
}

func (s *Server) delete(
	ctx context.Context, urn resource.URN, req *pulumirpc.DeleteRequest, inputs, live *unstructured.Unstructured,
) error {
	client, err := s.cluster.Client(live)
	if meta.IsNoMatchError(err) {
		return nil
	}
	if err != nil {
		return err
	}
	_, name := parseID(req.GetId())
	policy := await.Propagation(inputs)
	err = client.Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &policy})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	err = await.Deleted(s.ctx, s.cluster, inputs, live, await.Timeout(req.GetTimeout(), inputs),
		s.status(urn), s.log(diag.Warning, urn))
	s.status(urn)("")
	return err
}

// deleteFailed stores the state of an object that still exists.
func (s *Server) deleteFailed(olds resource.PropertyMap, inputs *unstructured.Unstructured, cause error) error {
	var partial *await.Partial
	if !errors.As(cause, &partial) {
		return cause
	}
	manager, err := managerOf(olds)
	if err != nil {
		return err
	}
	state, err := s.marshal(checkpoint(inputs, partial.Object, olds, apiVersionOf(olds, inputs), manager))
	if err != nil {
		return err
	}
	return initFailed(id(partial.Object), cause, state, nil)
}

func (s *Server) deleteUnreachable(urn resource.URN) (*emptypb.Empty, error) {
	s.log(diag.Warning, urn)("configured Kubernetes cluster is unreachable: " + s.unreachable)
	if s.settings.deleteUnreachable {
		return &emptypb.Empty{}, nil
	}
	return nil, errors.New("configured Kubernetes cluster is unreachable. If the cluster was deleted, " +
		"you can remove this resource from Pulumi state by rerunning the operation with the " +
		"PULUMI_K8S_DELETE_UNREACHABLE environment variable set to \"true\"")
}

package server

import (
	"context"
	"errors"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"strata/tests/lab/plugins/kubernetes/cluster"
)

// Check puts the object into the default namespace and normalizes it.
func (s *Server) Check(
	ctx context.Context, req *pulumirpc.CheckRequest,
) (*pulumirpc.CheckResponse, error) {
	if isRelease(resource.URN(req.GetUrn())) {
		return s.releases.Check(ctx, req)
	}
	news, err := unmarshal(req.GetNews())
	if err != nil {
		return nil, err
	}
	inputs := normalize(object(news))
	if inputs.GetName() == "" && !unknown(inputs.Object["metadata"]) {
		return nil, errors.New("the lab's plugin makes no names: `.metadata.name` is not set")
	}
	if err := s.assignNamespace(inputs); err != nil {
		return nil, err
	}
	if cluster.IsDefinition(inputs) && s.cluster != nil {
		s.cluster.Announce(inputs)
	}
	checked := properties(inputs)
	hide(checked, news)
	fields, err := s.marshal(checked)
	return &pulumirpc.CheckResponse{Inputs: fields}, err
}

func (s *Server) assignNamespace(inputs *unstructured.Unstructured) error {
	metadata, isObject := inputs.Object["metadata"].(map[string]any)
	if inputs.Object["metadata"] != nil && !isObject {
		return nil
	}
	if given := metadata["namespace"]; given != nil && given != "" {
		return nil
	}
	namespaced := true
	if s.cluster != nil {
		var err error
		if namespaced, err = s.cluster.Namespaced(inputs.GroupVersionKind()); err != nil {
			return err
		}
	}
	if namespaced && !clusterScoped[inputs.GetKind()] {
		inputs.SetNamespace(s.settings.namespace)
	}
	return nil
}

// clusterScoped are the built-in kinds whose scope must be known even while
// the server cannot be asked.
var clusterScoped = map[string]bool{
	"Namespace": true, "Node": true, "PersistentVolume": true, "CustomResourceDefinition": true,
	"ClusterRole": true, "ClusterRoleBinding": true, "StorageClass": true, "PriorityClass": true,
	"ValidatingWebhookConfiguration": true, "MutatingWebhookConfiguration": true,
	"APIService": true, "IngressClass": true, "RuntimeClass": true, "GatewayClass": true,
}

package server

import (
	"context"
	"reflect"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// CheckConfig takes the arguments as they are.
func (s *Server) CheckConfig(
	_ context.Context, req *pulumirpc.CheckRequest,
) (*pulumirpc.CheckResponse, error) {
	return &pulumirpc.CheckResponse{Inputs: req.GetNews()}, nil
}

const clusterIdentifier = "clusterIdentifier"

// DiffConfig replaces the provider, and so everything in it, when it means
// another cluster: the identifier changed, or without one the kubeconfig's
// active cluster changed or is not known yet. A set and unchanged identifier
// replaces nothing.
func (s *Server) DiffConfig(
	_ context.Context, req *pulumirpc.DiffRequest,
) (*pulumirpc.DiffResponse, error) {
	olds, err := unmarshalPlain(req.GetOlds())
	if err != nil {
		return nil, err
	}
	news, err := unmarshalPlain(req.GetNews())
	if err != nil {
		return nil, err
	}
	diff := olds.Diff(news)
	if diff == nil {
		return &pulumirpc.DiffResponse{Changes: pulumirpc.DiffResponse_DIFF_NONE}, nil
	}
	response := &pulumirpc.DiffResponse{Changes: pulumirpc.DiffResponse_DIFF_SOME}
	response.Diffs, response.Replaces, err = configChanges(diff, olds, news)
	if diff.Updated(clusterIdentifier) {
		response.Replaces = append(response.Replaces, clusterIdentifier)
	}
	if diff.Same(clusterIdentifier) && news.HasValue(clusterIdentifier) {
		response.Replaces = nil
	}
	return response, err
}

func configChanges(
	diff *resource.ObjectDiff, olds, news resource.PropertyMap,
) (diffs, replaces []string, err error) {
	if news["kubeconfig"].IsComputed() {
		return []string{"kubeconfig"}, []string{"kubeconfig"}, nil
	}
	for _, key := range diff.ChangedKeys() {
		diffs = append(diffs, string(key))
	}
	was, err := activeCluster(olds)
	if err != nil {
		return nil, nil, err
	}
	is, err := activeCluster(news)
	if err != nil {
		return nil, nil, err
	}
	if was != nil && is != nil && !reflect.DeepEqual(was, is) {
		replaces = []string{"kubeconfig"}
	}
	return diffs, replaces, nil
}

// plainOptions drops secretness but keeps unknowns.
var plainOptions = plugin.MarshalOptions{KeepUnknowns: true, SkipNulls: true}

package release

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/emptypb"
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/storage/driver"
)

// Delete uninstalls and, unless skipAwait is set, waits until the objects are
// gone. It needs the cluster, whatever the provider was told about unreachable
// ones.
func (h *Handler) Delete(
	_ context.Context, req *pulumirpc.DeleteRequest,
) (*emptypb.Empty, error) {
	if h.unreachable != "" {
		return nil, fmt.Errorf("can't delete Helm Release with unreachable cluster. Reason: %q", h.unreachable)
	}
	state, err := unmarshal(req.GetProperties())
	if err != nil {
		return nil, err
	}
	release, err := decode(state)
	if err != nil {
		return nil, err
	}
	configuration, err := h.configuration(release.Namespace)
	if err != nil {
		return nil, err
	}
	uninstall := action.NewUninstall(configuration)
	if !release.SkipAwait {
		uninstall.Wait, uninstall.Timeout = true, release.limit()
	}
	result, err := uninstall.Run(release.Name)
	if err != nil {
		return nil, err
	}
	if result != nil && result.Info != "" {
		_ = h.host.Log(h.ctx, diag.Warning, resource.URN(req.GetUrn()),
			fmt.Sprintf("Helm uninstall returned information: %q", result.Info))
	}
	return &emptypb.Empty{}, nil
}

// Read takes over what Helm says now, or that the release is gone. Without old
// inputs it imports.
func (h *Handler) Read(
	_ context.Context, req *pulumirpc.ReadRequest,
) (*pulumirpc.ReadResponse, error) {
	state, err := unmarshal(req.GetProperties())
	if err != nil {
		return nil, err
	}
	release, err := decode(state)
	if err != nil {
		return nil, err
	}
	if release.Name == "" {
		release.Namespace, release.Name, _ = strings.Cut(req.GetId(), "/")
	}
	configuration, err := h.configuration(release.Namespace)
	if err != nil {
		return nil, err
	}
	live, err := action.NewGet(configuration).Run(release.Name)
	if errors.Is(err, driver.ErrReleaseNotFound) {
		return &pulumirpc.ReadResponse{}, nil
	}
	if err != nil {
		return nil, err
	}
	if err := release.record(live); err != nil {
		return nil, err
	}
	inputs := storedInputs(state)
	if inputs == nil {
		if inputs, err = release.encode(); err != nil {
			return nil, err
		}
		delete(inputs, "resourceNames")
		delete(inputs, "status")
	}
	return readResponse(req.GetId(), release, inputs)
}

func readResponse(id string, release *Release, inputs resource.PropertyMap) (*pulumirpc.ReadResponse, error) {
	state, err := checkpoint(release, inputs, false)
	if err != nil {
		return nil, err
	}
	fields, err := marshal(state)
	if err != nil {
		return nil, err
	}
	stored, err := marshal(inputs)
	return &pulumirpc.ReadResponse{Id: id, Properties: fields, Inputs: stored}, err
}

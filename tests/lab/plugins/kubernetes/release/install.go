package release

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"helm.sh/helm/v3/pkg/action"
)

// Create installs. A preview never asks the cluster.
func (h *Handler) Create(
	_ context.Context, req *pulumirpc.CreateRequest,
) (*pulumirpc.CreateResponse, error) {
	inputs, err := unmarshal(req.GetProperties())
	if err != nil {
		return nil, err
	}
	release, err := decode(inputs)
	if err != nil {
		return nil, err
	}
	var id string
	var failed *failedError
	if !req.GetPreview() {
		if h.unreachable != "" {
			return nil, fmt.Errorf("can't create Helm Release with unreachable cluster: %s", h.unreachable)
		}
		id = release.Namespace + "/" + release.Name
		err = h.install(resource.URN(req.GetUrn()), release)
		if err != nil && !errors.As(err, &failed) {
			return nil, err
		}
	}
	state, err := checkpoint(release, inputs, req.GetPreview())
	if err != nil {
		return nil, err
	}
	fields, err := marshal(state)
	if err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, initFailed(id, fmt.Errorf("Helm release %q was created, but failed to initialize completely. "+
			"Use Helm CLI to investigate: %w", id, failed), fields)
	}
	return &pulumirpc.CreateResponse{Id: id, Properties: fields}, nil
}

// install returns a *failedError if the release exists although it failed.
func (h *Handler) install(urn resource.URN, r *Release) error {
	configuration, err := h.configuration(r.Namespace)
	if err != nil {
		return err
	}
	client := action.NewInstall(configuration)
	chart, err := r.load()
	if err != nil {
		return err
	}
	client.ReleaseName, client.Namespace, client.SkipCRDs = r.Name, r.Namespace, r.SkipCrds
	client.Wait, client.Timeout = !r.SkipAwait, r.limit()
	result, err := client.RunWithContext(h.ctx, chart, r.Values)
	h.cluster.Reset() // the chart may have brought definitions
	if err != nil && result == nil {
		return err
	}
	if err != nil {
		if _, lookup := action.NewGet(configuration).Run(r.Name); lookup != nil {
			return err
		}
	}
	if recorded := r.record(result); recorded != nil {
		return recorded
	}
	if err == nil {
		return nil
	}
	_ = h.host.Log(h.ctx, diag.Warning, urn, fmt.Sprintf("Helm release %q was created but has a failed status. "+
		"Use the `helm` command to investigate the error, correct it, then retry. Reason: %v", r.Name, err))
	return &failedError{release: r, cause: err}
}

func (r *Release) limit() time.Duration {
	if r.Timeout == 0 {
		return defaultTimeout * time.Second
	}
	return time.Duration(r.Timeout) * time.Second
}

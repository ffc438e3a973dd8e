package release

import (
	"context"
	"errors"
	"fmt"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/storage/driver"
)

// Update upgrades. One that failed is stored with its reason.
func (h *Handler) Update(
	_ context.Context, req *pulumirpc.UpdateRequest,
) (*pulumirpc.UpdateResponse, error) {
	inputs, err := unmarshal(req.GetNews())
	if err != nil {
		return nil, err
	}
	release, err := decode(inputs)
	if err != nil {
		return nil, err
	}
	var failed *failedError
	if !req.GetPreview() {
		if h.unreachable != "" {
			return nil, fmt.Errorf("can't update Helm Release with unreachable cluster: %s", h.unreachable)
		}
		if err := h.upgrade(release); err != nil && !errors.As(err, &failed) {
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
		id := release.Namespace + "/" + release.Name
		return nil, initFailed(id, fmt.Errorf("Helm release %q failed to initialize completely. "+
			"Use Helm CLI to investigate: %w", id, failed), fields)
	}
	return &pulumirpc.UpdateResponse{Properties: fields}, nil
}

func (h *Handler) upgrade(r *Release) error {
	configuration, err := h.configuration(r.Namespace)
	if err != nil {
		return err
	}
	client := action.NewUpgrade(configuration)
	chart, err := r.load()
	if err != nil {
		return err
	}
	client.Namespace = r.Namespace
	client.Wait, client.Timeout = !r.SkipAwait, r.limit()
	client.MaxHistory = 0 // every revision, as upstream
	result, err := client.RunWithContext(h.ctx, r.Name, chart, r.Values)
	h.cluster.Reset()
	if err != nil && (result == nil || errors.Is(err, driver.ErrNoDeployedReleases)) {
		return err
	}
	if recorded := r.record(result); recorded != nil {
		return recorded
	}
	if err != nil {
		return fmt.Errorf("error running update: %w", &failedError{release: r, cause: err})
	}
	return nil
}

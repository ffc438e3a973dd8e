package release

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"strata/tests/lab/plugins/kubernetes/difference"
)

// Diff compares the inputs with what Helm recorded: what somebody changed in the
// objects does not show. A new name or namespace replaces the release.
func (h *Handler) Diff(
	_ context.Context, req *pulumirpc.DiffRequest,
) (*pulumirpc.DiffResponse, error) {
	state, err := unmarshal(req.GetOlds())
	if err != nil {
		return nil, err
	}
	news, err := unmarshal(req.GetNews())
	if err != nil {
		return nil, err
	}
	for _, ignored := range req.GetIgnoreChanges() {
		if ignored == "version" {
			news["version"] = state["version"]
		}
	}
	before := difference.Prune(plain(state), plain(storedInputs(state)))
	changes := difference.Compare(before, plain(news))
	response := &pulumirpc.DiffResponse{
		Changes: pulumirpc.DiffResponse_DIFF_NONE, HasDetailedDiff: len(changes) > 0,
		DetailedDiff: map[string]*pulumirpc.PropertyDiff{},
	}
	changed := map[string]bool{}
	for path, kind := range changes {
		response.Changes = pulumirpc.DiffResponse_DIFF_SOME
		if path == "name" || path == "namespace" {
			kind = difference.Replacing(kind)
			response.Replaces = append(response.Replaces, path)
		}
		response.DetailedDiff[path] = difference.Shown(kind)
		steps, err := resource.ParsePropertyPath(path)
		if err != nil {
			return nil, fmt.Errorf("failed to parse diff path: %w", err)
		}
		changed[fmt.Sprint(steps[0])] = true
	}
	response.Diffs = slices.Sorted(maps.Keys(changed))
	return response, nil
}

// plain drops secretness, so that only values count; what is not known yet
// differs from everything.
func plain(properties resource.PropertyMap) map[string]any {
	return properties.MapRepl(nil, withoutSecrets)
}

func withoutSecrets(value resource.PropertyValue) (any, bool) {
	if value.IsSecret() {
		return value.SecretValue().Element.MapRepl(nil, withoutSecrets), true
	}
	return nil, false
}

package release

import (
	"context"
	"slices"
	"sort"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// Diff compares inputs with inputs: what somebody changed in the cluster does
// not show. A new name or namespace replaces the release.
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
	olds := plain(storedInputs(state))
	news = plain(news)
	for _, ignored := range req.GetIgnoreChanges() {
		if key := resource.PropertyKey(ignored); key == "version" {
			news[key] = olds[key]
		}
	}
	response := &pulumirpc.DiffResponse{Changes: pulumirpc.DiffResponse_DIFF_NONE}
	diff := olds.Diff(news)
	if diff == nil {
		return response, nil
	}
	response.Changes, response.HasDetailedDiff = pulumirpc.DiffResponse_DIFF_SOME, true
	response.DetailedDiff = map[string]*pulumirpc.PropertyDiff{}
	for _, key := range diff.ChangedKeys() {
		kind := kindOf(diff, key)
		if slices.Contains([]resource.PropertyKey{"name", "namespace"}, key) {
			kind = pulumirpc.PropertyDiff_UPDATE_REPLACE
			response.Replaces = append(response.Replaces, string(key))
		}
		response.Diffs = append(response.Diffs, string(key))
		response.DetailedDiff[string(key)] = &pulumirpc.PropertyDiff{Kind: kind}
	}
	sort.Strings(response.Diffs)
	return response, nil
}

func kindOf(diff *resource.ObjectDiff, key resource.PropertyKey) pulumirpc.PropertyDiff_Kind {
	switch {
	case diff.Added(key):
		return pulumirpc.PropertyDiff_ADD
	case diff.Deleted(key):
		return pulumirpc.PropertyDiff_DELETE
	default:
		return pulumirpc.PropertyDiff_UPDATE
	}
}

// plain drops secretness, so that only values count.
func plain(properties resource.PropertyMap) resource.PropertyMap {
	result := resource.PropertyMap{}
	for key, value := range properties {
		result[key] = plainValue(value)
	}
	return result
}

func plainValue(value resource.PropertyValue) resource.PropertyValue {
	switch {
	case value.IsSecret():
		return plainValue(value.SecretValue().Element)
	case value.IsObject():
		return resource.NewObjectProperty(plain(value.ObjectValue()))
	case value.IsArray():
		items := make([]resource.PropertyValue, len(value.ArrayValue()))
		for i, item := range value.ArrayValue() {
			items[i] = plainValue(item)
		}
		return resource.NewArrayProperty(items)
	}
	return value
}

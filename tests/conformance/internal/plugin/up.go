package plugin

import (
	"context"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// Op is the operation of an update on a resource.
type Op string

// These are the operations of an update.
const (
	Same          Op = "same"
	Create        Op = "create"
	Update        Op = "update"
	Replace       Op = "replace"
	DeleteReplace Op = "delete-replace"
)

// Up acts like `pulumi up` on one resource with the inputs news. A resource with initialization
// errors is updated even without changes.
func (r *Resource) Up(ctx context.Context, news resource.PropertyMap) (Op, error) {
	checked, err := r.Check(ctx, news)
	if err != nil {
		return "", err
	}
	if r.ID == "" {
		return Create, r.create(ctx, checked)
	}
	diff, err := r.Diff(ctx, checked)
	if err != nil {
		return "", err
	}
	switch {
	case len(diff.GetReplaces()) > 0 || r.replaces(diff):
		return r.replace(ctx, news, r.DeleteFirst || diff.GetDeleteBeforeReplace())
	case diff.GetChanges() == pulumirpc.DiffResponse_DIFF_SOME || len(r.InitErrors) > 0:
		return Update, r.update(ctx, checked)
	}
	return Same, nil
}

// replaces reports whether one of the changed inputs is in ReplaceOnChanges.
func (r *Resource) replaces(diff *pulumirpc.DiffResponse) bool {
	changed := append([]string{}, diff.GetDiffs()...)
	for path := range diff.GetDetailedDiff() {
		changed = append(changed, path)
	}
	for _, path := range changed {
		for _, replaced := range r.ReplaceOnChanges {
			if rest, ok := strings.CutPrefix(path, replaced); ok &&
				(rest == "" || rest[0] == '.' || rest[0] == '[') {
				return true
			}
		}
	}
	return false
}

// replace creates the new resource first, unless deleteFirst is true. Like the engine, it checks
// the inputs without the old inputs, so that the plugin generates a new name.
func (r *Resource) replace(
	ctx context.Context, news resource.PropertyMap, deleteFirst bool,
) (Op, error) {
	old := *r
	r.Inputs = nil
	checked, err := r.Check(ctx, news)
	if err != nil {
		return "", err
	}
	if deleteFirst {
		if err := old.Delete(ctx); err != nil {
			return DeleteReplace, err
		}
		return DeleteReplace, r.create(ctx, checked)
	}
	if err := r.create(ctx, checked); err != nil {
		return Replace, err
	}
	return Replace, old.Delete(ctx)
}

// Preview acts like `pulumi preview`: the returned state may have unknown values, and nothing is
// stored.
func (r *Resource) Preview(ctx context.Context, news resource.PropertyMap) (Op,
	resource.PropertyMap, error) {
	checked, err := r.Check(ctx, news)
	if err != nil {
		return "", nil, err
	}
	fields, err := marshal(checked)
	if err != nil {
		return "", nil, err
	}
	if r.ID == "" {
		response, err := r.Plugin.Create(ctx, &pulumirpc.CreateRequest{
			Urn: string(r.URN), Name: r.URN.Name(), Type: string(r.URN.Type()), Properties: fields,
			Preview: true,
		})
		if err != nil {
			return Create, nil, err
		}
		state, err := unmarshal(response.GetProperties())
		return Create, state, err
	}
	diff, err := r.Diff(ctx, checked)
	if err != nil {
		return "", nil, err
	}
	if len(diff.GetReplaces()) > 0 {
		return Replace, nil, nil
	}
	if diff.GetChanges() != pulumirpc.DiffResponse_DIFF_SOME {
		return Same, r.State, nil
	}
	olds, err := marshal(r.State)
	if err != nil {
		return "", nil, err
	}
	response, err := r.Plugin.Update(ctx, &pulumirpc.UpdateRequest{
		Id: r.ID, Urn: string(r.URN), Name: r.URN.Name(), Type: string(r.URN.Type()),
		Olds: olds, News: fields, Preview: true,
	})
	if err != nil {
		return Update, nil, err
	}
	state, err := unmarshal(response.GetProperties())
	return Update, state, err
}

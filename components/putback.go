package components

import (
	"context"
	"maps"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/stack/drift"
)

// PutBack makes an update show and put back changes that were made by hand on the hosts and in the
// cluster since the last update (docs/adr/0083). The zero value puts nothing back.
type PutBack struct {
	// Reasons has the reason of each resource that is put back, by the resource's name.
	Reasons map[string]string
	// Former has the reasons of earlier updates, from the state. They stay, so that a resource
	// without differences does not change.
	Former map[string]string
	// Objects puts back a resource's objects in the cluster. It runs before the update of each
	// resource in Reasons, and does nothing for other resources.
	Objects func(ctx context.Context, resource string) error

	hook *pulumi.ResourceHook
}

// putBackKey is the context key of a *PutBack.
type putBackKey struct{}

// AttachTo returns a copy of a Pulumi program's context that applies p to the program's resources.
func (p *PutBack) AttachTo(ctx *pulumi.Context) (_ *pulumi.Context, err error) {
	if len(p.Reasons) > 0 {
		p.hook, err = ctx.RegisterResourceHook("put-back", func(args *pulumi.ResourceHookArgs) error {
			return p.Objects(ctx.Context(), args.Name)
		}, nil)
	}
	return ctx.WithValue(putBackKey{}, p), err
}

// returning has the reason of a resource that this or an earlier update has put back.
type returning struct {
	// reason is empty if the resource was never put back. now is true if this update puts it back.
	reason string
	now    bool
	// option puts back the resource's objects.
	option pulumi.ResourceOption
}

// putBack returns the reason of the resource with the name.
func putBack(ctx *pulumi.Context, name string) returning {
	p, attached := ctx.Value(putBackKey{}).(*PutBack)
	if !attached {
		return returning{option: pulumi.Composite()}
	}
	reason, now := p.Reasons[name]
	if !now {
		return returning{reason: p.Former[name], option: pulumi.Composite()}
	}
	return returning{reason, true, pulumi.ResourceHooks(
		&pulumi.ResourceHookBinding{BeforeUpdate: []*pulumi.ResourceHook{p.hook}})}
}

// annotations returns the reason as annotations of an object. In a preview that puts the object
// back, the time is unknown, so that the provider does not try the update. Before the hook has run,
// the update would fail: fields conflict, or the object does not exist (pulumi-kubernetes 4.32,
// provider/pkg/provider/provider.go, Update).
func (r returning) annotations(ctx *pulumi.Context) pulumi.StringMap {
	at, text, _ := strings.Cut(r.reason, " ")
	if text == "" {
		return nil
	}
	known := pulumi.String(at).ToStringOutput()
	if r.now && ctx.DryRun() {
		known = pulumi.UnsafeUnknownOutput(nil).ApplyT(
			func(any) string { return at }).(pulumi.StringOutput)
	}
	return pulumi.StringMap{drift.Annotation: pulumi.String(text), drift.AnnotationTime: known}
}

// addTo adds the reason to the fields of a release or an object.
func (r returning) addTo(ctx *pulumi.Context, fields object) object {
	if r.reason == "" {
		return fields
	}
	fields = maps.Clone(fields)
	metadata, isObject := fields["metadata"].(object)
	if !isObject {
		fields["description"] = r.reason // of the release's new revision
		return fields
	}
	metadata, annotations := maps.Clone(metadata), object{}
	switch given := metadata["annotations"].(type) {
	case object:
		maps.Copy(annotations, given)
	case pulumi.StringMap:
		copyInputs(annotations, given)
	}
	copyInputs(annotations, r.annotations(ctx))
	metadata["annotations"], fields["metadata"] = annotations, metadata
	return fields
}

func copyInputs(into object, from pulumi.StringMap) {
	for key, value := range from {
		into[key] = value
	}
}

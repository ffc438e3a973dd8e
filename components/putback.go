package components

import (
	"context"
	"maps"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/stack/drift"
	"strata/internal/pulumi/self"
)

// PutBack makes an update show, and put back, what differs on the hosts and in the cluster from
// what the last update left (docs/adr/0083). The zero value puts nothing back.
type PutBack struct {
	// Reasons has the reason of each resource that is put back, by the resource's name.
	Reasons map[string]string
	// Former has the reasons of earlier updates, from the state. They stay, so that a resource
	// without differences does not change.
	Former map[string]string
	// Objects puts back what a resource owns in the cluster. It runs before the update of each
	// resource in Reasons, and does nothing for other resources.
	Objects func(ctx context.Context, resource string) error

	hook *pulumi.ResourceHook
}

// putBackKey is the context key of a *PutBack.
type putBackKey struct{}

// AttachTo returns a copy of a Pulumi program's context that makes the program's resources put back
// what p says.
func (p *PutBack) AttachTo(ctx *pulumi.Context) (_ *pulumi.Context, err error) {
	if len(p.Reasons) > 0 {
		p.hook, err = ctx.RegisterResourceHook("put-back", func(args *pulumi.ResourceHookArgs) error {
			return p.Objects(ctx.Context(), args.Name)
		}, nil)
	}
	return ctx.WithValue(putBackKey{}, p), err
}

// putBack returns the reason that a resource's inputs must contain, and the option that puts back
// its objects. The reason is empty if the resource was never put back.
func putBack(ctx *pulumi.Context, name string) (string, pulumi.ResourceOption) {
	p, attached := ctx.Value(putBackKey{}).(*PutBack)
	if !attached {
		return "", pulumi.Composite()
	}
	reason, now := p.Reasons[name]
	if !now {
		return p.Former[name], pulumi.Composite()
	}
	return reason, pulumi.ResourceHooks(
		&pulumi.ResourceHookBinding{BeforeUpdate: []*pulumi.ResourceHook{p.hook}})
}

// putBackObject adds the reason to the fields of a release or an object.
func putBackObject(ctx *pulumi.Context, name string, fields object) (object, pulumi.ResourceOption) {
	reason, option := putBack(ctx, name)
	if reason == "" {
		return fields, option
	}
	fields = maps.Clone(fields)
	metadata, isObject := fields["metadata"].(object)
	if !isObject {
		fields["description"] = reason // of the release's new revision
		return fields, option
	}
	metadata = maps.Clone(metadata)
	annotations := object{drift.Annotation: reason}
	switch given := metadata["annotations"].(type) {
	case object:
		maps.Copy(annotations, given)
	case pulumi.StringMap:
		for key, value := range given {
			annotations[key] = value
		}
	}
	metadata["annotations"], fields["metadata"] = annotations, metadata
	return fields, option
}

// putBackCommand adds the reason to the environment of a command, so that Pulumi runs it.
func putBackCommand(
	ctx *pulumi.Context, name string, command *local.CommandArgs,
) pulumi.ResourceOption {
	reason, option := putBack(ctx, name)
	if reason == "" {
		return option
	}
	environment := pulumi.StringMap{self.PutBack: pulumi.String(reason)}
	if given, ok := command.Environment.(pulumi.StringMap); ok {
		maps.Copy(environment, given)
	}
	command.Environment = environment
	return option
}

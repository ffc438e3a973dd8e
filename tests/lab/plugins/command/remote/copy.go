package remote

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// CopyToRemote is the resource command:remote:CopyToRemote. It never deletes
// what it copied.
type CopyToRemote struct{}

// Check refuses a source that cannot be read as one local path or text.
func (*CopyToRemote) Check(
	ctx context.Context, req infer.CheckRequest,
) (infer.CheckResponse[CopyArgs], error) {
	args, failures, err := infer.DefaultCheck[CopyArgs](ctx, req.NewInputs)
	if reason := sourceProblem(args); err == nil && reason != "" {
		failures = append(failures, p.CheckFailure{Property: "source", Reason: reason})
	}
	return infer.CheckResponse[CopyArgs]{Inputs: args, Failures: failures}, err
}

func sourceProblem(args CopyArgs) string {
	asset, archive := args.Source.Asset, args.Source.Archive
	switch {
	case asset != nil && archive != nil:
		return "only one of asset or archive can be set"
	case asset == nil && archive == nil:
		return "either asset or archive must be set"
	case asset != nil && !asset.IsPath() && !asset.IsText():
		return "asset must be a path-based file asset or a text asset"
	case archive != nil && !archive.IsPath():
		return "archive must be a path to a file or directory"
	}
	return ""
}

// Create copies.
func (*CopyToRemote) Create(
	ctx context.Context, req infer.CreateRequest[CopyArgs],
) (infer.CreateResponse[CopyState], error) {
	state := CopyState{CopyArgs: req.Inputs}
	if req.DryRun {
		return infer.CreateResponse[CopyState]{Output: state}, nil
	}
	if err := state.copy(ctx); err != nil {
		return infer.CreateResponse[CopyState]{Output: state}, err
	}
	id, err := resource.NewUniqueHex("", 8, 0)
	return infer.CreateResponse[CopyState]{ID: id, Output: state}, err
}

// Update copies again if the content or the destination changed; a new
// connection alone is only stored.
func (*CopyToRemote) Update(
	ctx context.Context, req infer.UpdateRequest[CopyArgs, CopyState],
) (infer.UpdateResponse[CopyState], error) {
	state := CopyState{CopyArgs: req.Inputs}
	same := req.Inputs.hash() == req.State.hash() && req.Inputs.RemotePath == req.State.RemotePath
	var err error
	if !req.DryRun && !same {
		err = state.copy(ctx)
	}
	return infer.UpdateResponse[CopyState]{Output: state}, err
}

func (a *CopyArgs) hash() string {
	if a.Source.Archive != nil {
		return a.Source.Archive.Hash
	}
	return a.Source.Asset.Hash
}

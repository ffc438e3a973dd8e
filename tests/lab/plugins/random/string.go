package main

import (
	"context"

	"github.com/pulumi/pulumi-go-provider/infer"
)

// RandomString is the resource random:index/randomString:RandomString.
type RandomString struct{}

// StringState is what the engine stores.
type StringState struct {
	TextArgs
	Result string `pulumi:"result"`
}

// Annotate sets the official type token.
func (r *RandomString) Annotate(a infer.Annotator) {
	a.SetToken("index/randomString", "RandomString")
}

// Check refuses a text that cannot be made.
func (*RandomString) Check(
	ctx context.Context, req infer.CheckRequest,
) (infer.CheckResponse[TextArgs], error) {
	return checkText(ctx, req)
}

// Create draws the text, which is also the id.
func (*RandomString) Create(
	_ context.Context, req infer.CreateRequest[TextArgs],
) (infer.CreateResponse[StringState], error) {
	state := StringState{TextArgs: req.Inputs.withDefaults()}
	if err := req.Inputs.contradiction(); err != nil {
		return infer.CreateResponse[StringState]{Output: state}, err
	}
	if req.DryRun {
		return infer.CreateResponse[StringState]{Output: state}, nil
	}
	result, err := state.text()
	state.Result = result
	return infer.CreateResponse[StringState]{ID: result, Output: state}, err
}

// WireDependencies leaves only the result unknown in a preview.
func (*RandomString) WireDependencies(f infer.FieldSelector, args *TextArgs, state *StringState) {
	f.OutputField(&state.Result).DependsOn(f.InputField(args))
	state.known(f)
}

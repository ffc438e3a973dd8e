package main

import (
	"context"
	"fmt"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"golang.org/x/crypto/bcrypt"
)

// bcryptLimit is the maximum length, in bytes, of a password for bcrypt. bcrypt ignores the rest.
const bcryptLimit = 72

// RandomPassword is the resource random:index/randomPassword:RandomPassword.
type RandomPassword struct{}

// PasswordState is the state that the engine stores for a RandomPassword. Both results are secret.
type PasswordState struct {
	TextArgs
	Result     string `pulumi:"result" provider:"secret"`
	BcryptHash string `pulumi:"bcryptHash" provider:"secret"`
}

// Annotate sets the official plugin's type token.
func (r *RandomPassword) Annotate(a infer.Annotator) {
	a.SetToken("index/randomPassword", "RandomPassword")
}

// Check rejects a length below 1, and inputs that this plugin does not support.
func (*RandomPassword) Check(
	ctx context.Context, req infer.CheckRequest,
) (infer.CheckResponse[TextArgs], error) {
	args, failures, err := infer.DefaultCheck[TextArgs](ctx, req.NewInputs)
	if err == nil && len(failures) == 0 && !property.New(req.NewInputs).HasComputed() {
		failures = args.problems()
	}
	return infer.CheckResponse[TextArgs]{Inputs: args, Failures: failures}, err
}

// Create draws the password. The resource's id is "none", because an id is not secret.
func (*RandomPassword) Create(
	_ context.Context, req infer.CreateRequest[TextArgs],
) (infer.CreateResponse[PasswordState], error) {
	state := PasswordState{TextArgs: req.Inputs.withDefaults()}
	response := infer.CreateResponse[PasswordState]{ID: "none", Output: state}
	if req.DryRun {
		return response, nil
	}
	result, err := state.text()
	if err != nil {
		return response, err
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(result)[:min(len(result), bcryptLimit)], bcrypt.DefaultCost)
	if err != nil {
		return response, fmt.Errorf("hashing the password: %w", err)
	}
	response.Output.Result, response.Output.BcryptHash = result, string(hash)
	return response, nil
}

// WireDependencies makes the results secret in the state, even if the program does not request
// that. Outputs other than the results are known in a preview.
func (*RandomPassword) WireDependencies(f infer.FieldSelector, args *TextArgs, state *PasswordState) {
	f.OutputField(&state.Result).AlwaysSecret()
	f.OutputField(&state.BcryptHash).AlwaysSecret()
	inputs := f.InputField(args)
	f.OutputField(&state.Result).DependsOn(inputs)
	f.OutputField(&state.BcryptHash).DependsOn(inputs)
	state.known(f)
}

package local

import (
	"context"

	"github.com/pulumi/pulumi-go-provider/infer"
)

// Run is the function command:local:run, which runs on every preview and update.
type Run struct{}

// RunArgs are the arguments of command:local:run.
type RunArgs struct {
	Inputs
	Command string `pulumi:"command"`
}

// RunResult is its result: the arguments and what the command printed.
type RunResult struct {
	RunArgs
	Outputs
}

// Invoke runs the command.
func (*Run) Invoke(
	ctx context.Context, req infer.FunctionRequest[RunArgs],
) (infer.FunctionResponse[RunResult], error) {
	result := RunResult{RunArgs: req.Input}
	err := run(ctx, req.Input.Command, result.Inputs, &result.Outputs)
	return infer.FunctionResponse[RunResult]{Output: result}, err
}

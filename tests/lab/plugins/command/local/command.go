package local

import (
	"context"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// Command is the resource command:local:Command.
type Command struct{}

// Create runs the create command. If it fails, nothing is stored in the state.
func (*Command) Create(
	ctx context.Context, req infer.CreateRequest[CommandArgs],
) (infer.CreateResponse[CommandState], error) {
	state := CommandState{CommandArgs: req.Inputs}
	id, err := resource.NewUniqueHex(req.Name, 8, 0)
	if err == nil && !req.DryRun {
		err = state.run(ctx, req.Inputs.Create)
	}
	return infer.CreateResponse[CommandState]{ID: id, Output: state}, err
}

// Update runs the update command, or the create command if there is no update command.
func (*Command) Update(
	ctx context.Context, req infer.UpdateRequest[CommandArgs, CommandState],
) (infer.UpdateResponse[CommandState], error) {
	state := CommandState{CommandArgs: req.Inputs, Outputs: req.State.Outputs}
	if req.DryRun {
		return infer.UpdateResponse[CommandState]{Output: state}, nil
	}
	command := req.Inputs.Update
	if command == nil {
		command = req.Inputs.Create
	}
	err := state.run(ctx, command)
	return infer.UpdateResponse[CommandState]{Output: state}, err
}

// Delete runs the delete command that is in the state.
func (*Command) Delete(
	ctx context.Context, req infer.DeleteRequest[CommandState],
) (infer.DeleteResponse, error) {
	state := req.State
	return infer.DeleteResponse{}, state.run(ctx, state.CommandArgs.Delete)
}

// run runs a command and stores its output in s. It does nothing if command is nil, because each
// command is optional.
func (s *CommandState) run(ctx context.Context, command *string) error {
	if command == nil {
		return nil
	}
	return run(ctx, *command, s.CommandArgs, &s.Outputs)
}

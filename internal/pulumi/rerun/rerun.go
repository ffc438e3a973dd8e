// Package rerun makes an action run again after a change of it that failed, whatever is asked next.
// It owns no action.
//
// Pulumi keeps what it knew of a command whose update failed. If the change is then taken back, the
// command's inputs are the known ones and it does not run, although the host or the cluster may be
// half changed, and a gate that failed counts as passed (docs/adr/0017). What has never succeeded
// is not in the state, so a failed create needs none of this, and an interrupted update is marked
// by actions/stack/recovery.
package rerun

import (
	"github.com/pulumi/pulumi-random/sdk/v4/go/random"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// wordBytes make a word that never comes back.
const wordBytes = 5

// Replaced is the option of a command that is replaced when what it runs or is asked changes, and
// forgotten before it runs: one that fails is not in the state. It is for commands without a delete
// action, whose output is not read; others take an Attempt.
func Replaced() pulumi.ResourceOption {
	return pulumi.Composite(pulumi.ReplaceOnChanges([]string{"create", "stdin"}), pulumi.DeleteBeforeReplace(true))
}

// Attempt registers a word that is drawn anew each time that inputs change. A command that has it
// among its inputs is updated in place, also back to inputs that it has had before. opts are the
// command's own parent and dependencies, so that no word changes whose command is not reached.
func Attempt(
	ctx *pulumi.Context, name string, inputs pulumi.StringMap, opts ...pulumi.ResourceOption,
) (pulumi.StringOutput, error) {
	word, err := random.NewRandomId(ctx, name+"-attempt", &random.RandomIdArgs{ByteLength: pulumi.Int(wordBytes), Keepers: inputs}, opts...)
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	return word.Hex, nil
}

// Package rerun makes an action run again after a failed change, even if the change is reverted. It
// owns no action.
//
// Pulumi keeps the old inputs of a command whose update failed. If the change is then reverted, the
// inputs match and the command does not run, although the host or the cluster may be half changed.
// A failed gate would count as passed (docs/adr/0017). A failed create is not recorded in the
// state, so the next update repeats it in any case. actions/stack/recovery marks an interrupted
// update.
package rerun

import (
	"strings"

	"github.com/pulumi/pulumi-random/sdk/v4/go/random"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// wordBytes is the number of random bytes in a word of Attempt, enough that no word repeats.
const wordBytes = 5

// WordPattern matches a word of Attempt (path.Match).
var WordPattern = strings.Repeat("[0-9a-f]", 2*wordBytes)

// ReplaceOnChange returns an option that replaces a command when its script or input changes.
// Pulumi deletes the old command before it creates the new one, so a command that fails is not in
// the state. The option is for commands without a delete action whose output is not read. Other
// commands use an Attempt.
func ReplaceOnChange() pulumi.ResourceOption {
	return pulumi.Composite(pulumi.ReplaceOnChanges([]string{"create", "stdin"}),
		pulumi.DeleteBeforeReplace(true))
}

// Attempt registers a random word that changes whenever inputs change. A command that has the word
// among its inputs is updated in place, even if its inputs return to earlier ones. opts are the
// command's own parent and dependencies, so that the word changes only when the command can run.
func Attempt(
	ctx *pulumi.Context, name string, inputs pulumi.StringMap, opts ...pulumi.ResourceOption,
) (pulumi.StringOutput, error) {
	word, err := random.NewRandomId(ctx, name+"-attempt",
		&random.RandomIdArgs{ByteLength: pulumi.Int(wordBytes), Keepers: inputs}, opts...)
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	return word.Hex, nil
}

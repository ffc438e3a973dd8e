package recovery

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
)

// interruptedMark is a line that the state gets before a command whose update was interrupted. No
// program has this line, so the next update runs the command again.
const interruptedMark = "# interrupted; see strata repair\n"

// clearPending removes the interrupted operations from the state. The next update repeats those
// that its program still has. The state has a command's inputs from before an interrupted update.
// If the program was reverted since, the engine would see no difference, although the command may
// have done half of its work. So clearPending marks it and it runs again in any case. It edits the
// export and does not use `pulumi refresh --clear-pending-creates`. That first queries every
// provider about every resource, on hosts and a cluster that may be down.
func (r *Recovery) clearPending(ctx context.Context, before state) error {
	if len(before.Pending) == 0 {
		return nil
	}
	// Without --show-secrets the exported secrets stay encrypted.
	out, err := r.Pulumi.Export(ctx, r.Stack)
	if err != nil {
		return err
	}
	cleared, err := withoutPending(out, before.interruptedCommands())
	if err != nil {
		return fmt.Errorf("state of stack %s: %w", r.Stack, err)
	}
	if _, err := r.Pulumi(ctx, cleared, "stack", "import", "--stack", r.Stack); err != nil {
		return err
	}
	for _, pending := range before.Pending {
		r.did("forgot the interrupted %s of %s; the next up repeats it", noun(pending.Type),
			pending.Resource.URN)
	}
	return nil
}

// withoutPending removes the operations from an export, marks interrupted commands, and keeps
// everything else as it is.
func withoutPending(export []byte, interrupted map[urn.URN]bool) ([]byte, error) {
	var whole, deployment map[string]json.RawMessage
	if err := json.Unmarshal(export, &whole); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(whole["deployment"], &deployment); err != nil {
		return nil, err
	}
	delete(deployment, "pending_operations")
	if len(interrupted) > 0 {
		var resources []json.RawMessage
		if err := json.Unmarshal(deployment["resources"], &resources); err != nil {
			return nil, err
		}
		for i := range resources {
			if err := markInterrupted(&resources[i], interrupted); err != nil {
				return nil, err
			}
		}
		text, err := json.Marshal(resources)
		if err != nil {
			return nil, err
		}
		deployment["resources"] = text
	}
	text, err := json.Marshal(deployment)
	if err != nil {
		return nil, err
	}
	whole["deployment"] = text
	return json.Marshal(whole)
}

// markInterrupted marks a resource that is an interrupted command: in its inputs, which the engine
// compares, and in its outputs, which the provider compares.
func markInterrupted(text *json.RawMessage, interrupted map[urn.URN]bool) error {
	var one map[string]json.RawMessage
	if err := json.Unmarshal(*text, &one); err != nil {
		return err
	}
	var name urn.URN
	if err := json.Unmarshal(one["urn"], &name); err != nil {
		return err
	}
	if !interrupted[name] {
		return nil
	}
	for _, part := range []string{"inputs", "outputs"} {
		var properties map[string]json.RawMessage
		if one[part] == nil {
			continue
		}
		if err := json.Unmarshal(one[part], &properties); err != nil {
			return fmt.Errorf("%s: %s: %w", name, part, err)
		}
		var create string
		if json.Unmarshal(properties["create"], &create) != nil ||
			strings.HasPrefix(create, interruptedMark) {
			continue // an encrypted input is no command of ours, and one with the mark needs no second mark
		}
		var err error
		if properties["create"], err = json.Marshal(interruptedMark + create); err != nil {
			return err
		}
		if one[part], err = json.Marshal(properties); err != nil {
			return err
		}
	}
	marked, err := json.Marshal(one)
	*text = marked
	return err
}

func noun(operation apitype.OperationType) string {
	nouns := map[apitype.OperationType]string{
		apitype.OperationTypeCreating: "create", apitype.OperationTypeUpdating: "update",
		apitype.OperationTypeDeleting: "delete",
		apitype.OperationTypeReading:  "read", "importing": "import",
	}
	return cmp.Or(nouns[operation], string(operation))
}

package recovery

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"

	"strata/internal/pulumi/stackstate"
)

// interruptedMark is put before a command in the state if its update was interrupted. No program
// contains this line, so the next update sees a difference and runs the command again.
const interruptedMark = "# interrupted; see strata repair\n"

// clearPending removes the pending operations from the state, except updates of releases; the next
// update repeats those that the program still declares. For an interrupted update of a command, the
// state has the inputs from before the update. If the program was reverted since, Pulumi would see
// no difference, although the command may have done half of its work. So clearPending marks the
// command, and it runs again in any case.
//
// It edits the exported state, because `pulumi refresh --clear-pending-creates` would first read
// every resource, on hosts and a cluster that may be down.
func (r *Recovery) clearPending(ctx context.Context, before state) error {
	dropped := slices.DeleteFunc(slices.Clone(before.Pending), func(one stackstate.Operation) bool {
		return isReleaseUpdate(one.Type, one.Resource.Type)
	})
	if len(dropped) == 0 {
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
	for _, pending := range dropped {
		r.did("forgot the interrupted %s of %s; the next up repeats it", noun(pending.Type),
			pending.Resource.URN)
	}
	return nil
}

// isReleaseUpdate reports whether a pending operation is the update of a Helm release. Such an
// operation stays in the state until the next update, which repeats it (drift.Report.Reasons).
func isReleaseUpdate(operation apitype.OperationType, kind tokens.Type) bool {
	return operation == apitype.OperationTypeUpdating && kind == stackstate.HelmRelease
}

// withoutPending returns an exported state without its pending operations, except updates of
// releases, and with interruptedMark before each interrupted command. Everything else stays
// unchanged.
func withoutPending(export []byte, interrupted map[urn.URN]bool) ([]byte, error) {
	var whole, deployment map[string]json.RawMessage
	if err := json.Unmarshal(export, &whole); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(whole["deployment"], &deployment); err != nil {
		return nil, err
	}
	if err := dropOperations(deployment); err != nil {
		return nil, err
	}
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

// dropOperations removes the pending operations from a deployment, except updates of releases.
func dropOperations(deployment map[string]json.RawMessage) error {
	var operations, kept []json.RawMessage
	if deployment["pending_operations"] == nil {
		return nil
	}
	if err := json.Unmarshal(deployment["pending_operations"], &operations); err != nil {
		return err
	}
	for _, text := range operations {
		var one apitype.OperationV2
		if err := json.Unmarshal(text, &one); err != nil {
			return err
		}
		if isReleaseUpdate(one.Type, one.Resource.Type) {
			kept = append(kept, text)
		}
	}
	delete(deployment, "pending_operations")
	if len(kept) == 0 {
		return nil
	}
	text, err := json.Marshal(kept)
	deployment["pending_operations"] = text
	return err
}

// markInterrupted adds interruptedMark to a resource of the state if interrupted has its URN. It
// changes the inputs, which the engine compares, and the outputs, which the provider compares.
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
			continue // encrypted, so not Strata's command; or already marked
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

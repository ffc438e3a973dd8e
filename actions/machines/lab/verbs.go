// Package lab has the commands of the resources of the lab's machines, which package nspawn makes.
package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"strata/actions/machines"
	"strata/actions/verb"
	"strata/internal/nspawn"
)

// Bounds of one command on one machine. Extracting the image takes seconds, a boot one or two; a slow
// disk or a boot delay takes the rest.
const (
	createTimeout = 10 * time.Minute
	deleteTimeout = 3 * time.Minute
)

// The commands of a machine's resource.
var (
	// Create makes the machine or starts it, and prints its nspawn.Result.
	Create = ofMachine(nspawn.Create)
	// Update starts a machine that exists, and prints its nspawn.Result. It fails where there is no
	// such machine any more.
	Update = ofMachine(nspawn.Update)
	// Delete removes a machine of a stack with everything made for it.
	Delete = verb.Unbounded(deleteMachine)
)

// The commands of the resource that marks a stack's machines before the first is deleted.
var (
	// MarkForReplacement has the machines recreated that a destroy has marked and not deleted.
	MarkForReplacement = machines.RecreateMarked(nspawn.MarkForReplacement)
	// Keep takes MarkForDeletion back.
	Keep = machines.Mark(nspawn.Keep)
	// MarkForDeletion marks all machines: their stack is about to delete them.
	MarkForDeletion = machines.Mark(nspawn.MarkForDeletion)
)

func ofMachine(
	do func(context.Context, nspawn.Spec, *nspawn.Log) (nspawn.Result, error),
) *verb.Verb[nspawn.Spec] {
	read := func(text []byte) (nspawn.Spec, error) { return nspawn.ReadSpec(bytes.NewReader(text)) }
	return verb.Decoded(read, func(ctx context.Context, call verb.Call, spec nspawn.Spec) error {
		ctx, cancel := context.WithTimeout(ctx, createTimeout)
		defer cancel()
		result, err := do(ctx, spec, &nspawn.Log{W: call.Stderr})
		if err != nil {
			return err
		}
		return call.PrintJSON(result)
	})
}

// deleteMachine reads only who owns the machine: a spec that another version wrote must not keep a
// machine alive.
func deleteMachine(ctx context.Context, call verb.Call, text json.RawMessage) error {
	var spec struct {
		Name, AuthorizedKey string
		Owner               *nspawn.Owner
	}
	if err := json.Unmarshal(text, &spec); err != nil {
		return call.Wrong(err)
	}
	ctx, cancel := context.WithTimeout(ctx, deleteTimeout)
	defer cancel()
	log := &nspawn.Log{W: call.Stderr}
	own := nspawn.Spec{Name: spec.Name, AuthorizedKey: spec.AuthorizedKey, Owner: spec.Owner}
	if err := nspawn.DeleteOwn(ctx, own, log); err != nil {
		return err
	}
	whole, err := nspawn.ReadSpec(bytes.NewReader(text))
	if err != nil {
		// Another version's; its bridge went with its last machine, unless that deletion was killed.
		return nil //nolint:nilerr // see above
	}
	return nspawn.ReleaseNetwork(ctx, whole, log)
}

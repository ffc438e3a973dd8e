package members

import (
	"context"
	"fmt"

	"strata/actions/verb"
)

// Admit removes the former host of a node's name from the cluster, and prints the new host's key.
// The host key identifies a host: when it changes, the command runs again.
var Admit = verb.New(func(ctx context.Context, call verb.Call, input Admission) error {
	input.Past = ReadPastHere
	if err := input.Admit(ctx, call.SSHKey(), call.Stderr); err != nil {
		return fmt.Errorf("layer k3s: admit %s: %w", input.Node.Name, err)
	}
	return call.Print(input.Node.HostKey)
})

// Update removes the nodes that are in the previous output but not in the wanted set. It fails if
// an address now belongs to a node of another name. It sets labels and taints, and prints the part
// of the wanted set that the next run needs.
var Update = verb.New(func(ctx context.Context, call verb.Call, wanted Set) error {
	before, err := verb.Previous[Set](call)
	if err != nil {
		return err
	}
	if err := CheckAddresses(before, wanted); err != nil {
		return err
	}
	client, err := call.Client(urlsOf(wanted.Servers())...)
	if err != nil {
		return err
	}
	if left := Left(before, wanted); len(left) > 0 {
		remover := &Remover{
			Client: client, Servers: wanted.Servers(), SSHKey: call.SSHKey(), Owner: wanted.Owner,
			Log: call.Stderr,
		}
		if err := remover.Leave(ctx, left, wanted.DiscardVolumesOf); err != nil {
			return err
		}
	}
	if err := ApplySettings(ctx, client, before, wanted); err != nil {
		return err
	}
	return call.WriteOutput(wanted.Output())
})

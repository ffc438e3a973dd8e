package components

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/internal/files/digest"
	"strata/internal/pulumi/statelayout"
)

// childOf returns the options of a child resource: its parent, and the resources it waits for.
func childOf(parent pulumi.Resource, needs ...pulumi.Resource) []pulumi.ResourceOption {
	return []pulumi.ResourceOption{pulumi.Parent(parent), WaitFor(needs...)}
}

// WaitFor returns the option DependsOn for gates and other custom resources. All code must use
// WaitFor, because a plain DependsOn does not wait for a Gate, and loses dependencies on components
// (docs/adr/0001). The result does not alias the caller's slice.
func WaitFor(needs ...pulumi.Resource) pulumi.ResourceOption {
	dependencies := make([]pulumi.Resource, 0, len(needs))
	for _, need := range needs {
		if gate, ok := need.(*Gate); ok {
			need = gate.Command // the resource that Pulumi has registered
		}
		dependencies = append(dependencies, need)
	}
	return pulumi.DependsOn(dependencies)
}

// StackName returns the stack's name in the form that `pulumi --stack` accepts.
func StackName(ctx *pulumi.Context) string {
	// Pulumi reports the name "organization" if the backend has no organizations.
	if organization := ctx.Organization(); organization != "organization" {
		return organization + "/" + ctx.Project() + "/" + ctx.Stack()
	}
	return ctx.Stack()
}

// tokenOf returns the type token of a component in the current state layout.
func tokenOf(module, component string) string { return statelayout.Token(module, component) }

// with returns a new slice of resources followed by more.
func with(resources []pulumi.Resource, more ...pulumi.Resource) []pulumi.Resource {
	return slices.Concat(resources, more)
}

// digestOf returns a short digest of parts, 16 hex digits. Gates use it as their revision, so they
// run again when a part changes. No part may contain a secret: the digest is in plain text in the
// state, where a short secret could be guessed from it.
func digestOf(parts ...any) string {
	var all []byte
	for _, part := range parts {
		text, err := json.Marshal(part)
		if err != nil {
			// This cannot happen: the configuration was read from JSON.
			panic(fmt.Sprintf("digest of %T: %v", part, err))
		}
		all = append(append(all, text...), 0)
	}
	return digest.Short(all)
}

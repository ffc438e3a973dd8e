package components

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/files/digest"
	"strata/internal/pulumi/rerun"
	"strata/internal/pulumi/self"
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

// tokenOf returns the type token of a component in the current state layout.
func tokenOf(module, component string) string { return statelayout.Token(module, component) }

// with returns a new slice of resources followed by more.
func with(resources []pulumi.Resource, more ...pulumi.Resource) []pulumi.Resource {
	return slices.Concat(resources, more)
}

// customTimeouts returns the option that sets Pulumi's timeouts to 30 s more than limit, so that
// the command's own timeout comes first and can report the reason.
func customTimeouts(limit metav1.Duration) pulumi.ResourceOption {
	text := (limit.Duration + 30*time.Second).String()
	return pulumi.Timeouts(&pulumi.CustomTimeouts{Create: text, Update: text, Delete: text})
}

// once returns the option that ignores later changes of a command's inputs. It is for commands
// whose output must never change (generated keys, pinned host keys): a new output would lock users
// out. The command's triggers, if any, still replace it.
func once() pulumi.ResourceOption {
	return pulumi.IgnoreChanges([]string{"create", "update", "stdin", "environment", "logging",
		"addPreviousOutputInEnv"})
}

// registerAttempt adds an attempt to the environment of a command, so that the command runs again
// after a change that failed and was reverted. opts are the command's own options.
func registerAttempt(
	ctx *pulumi.Context, name string, command *local.CommandArgs, opts []pulumi.ResourceOption,
) error {
	word, err := rerun.Attempt(ctx, name,
		pulumi.StringMap{"stdin": command.Stdin.ToStringPtrOutput().Elem()}, opts...)
	if err != nil {
		return fmt.Errorf("attempt: %w", err)
	}
	environment, _ := command.Environment.(pulumi.StringMap)
	if environment == nil {
		environment = pulumi.StringMap{}
	}
	environment[self.Attempt] = word
	command.Environment = environment
	return nil
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

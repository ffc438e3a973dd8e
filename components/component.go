package components

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/pulumi/rerun"
	"strata/internal/pulumi/self"
	"strata/internal/pulumi/statelayout"
)

// childOf returns the options of a child: its parent, and the dependencies that must be ready
// before it starts.
func childOf(parent pulumi.Resource, needs ...pulumi.Resource) []pulumi.ResourceOption {
	return []pulumi.ResourceOption{pulumi.Parent(parent), WaitFor(needs...)}
}

// WaitFor returns the option of a resource that waits for gates and other custom resources. Only
// WaitFor writes DependsOn, which loses edges to components (docs/adr/0001). It never aliases the
// caller's slice.
func WaitFor(needs ...pulumi.Resource) pulumi.ResourceOption {
	dependencies := make([]pulumi.Resource, 0, len(needs))
	for _, need := range needs {
		if gate, ok := need.(*Gate); ok {
			need = gate.Command // the resource as Pulumi has registered it
		}
		dependencies = append(dependencies, need)
	}
	return pulumi.DependsOn(dependencies)
}

// tokenOf returns the type token of a component in the present layout of states.
func tokenOf(module, component string) string { return statelayout.Token(module, component) }

// with returns resources followed by more, for childOf. It never aliases the caller's slice.
func with(resources []pulumi.Resource, more ...pulumi.Resource) []pulumi.Resource {
	return slices.Concat(resources, more)
}

// customTimeouts makes the engine give up on an action a little after the action's own bound.
func customTimeouts(limit metav1.Duration) pulumi.ResourceOption {
	text := (limit.Duration + 30*time.Second).String()
	return pulumi.Timeouts(&pulumi.CustomTimeouts{Create: text, Update: text, Delete: text})
}

// once returns the option of a command that draws or pins something when it is created, because
// another output later would lock all users out. The command's triggers, if any, still replace it.
func once() pulumi.ResourceOption {
	return pulumi.IgnoreChanges([]string{"create", "update", "stdin", "environment", "logging",
		"addPreviousOutputInEnv"})
}

// registerAttempt registers the attempt of a command that runs a subcommand. So the command runs again after
// a change that failed and was reverted. opts are the command's own options.
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

// digestOf returns a short digest of a gate's subject. It makes the gate run again when the chart
// or the layer's section changes. The digest is plain in the state, where a short secret could be
// guessed from it. So no part may hold a secret.
func digestOf(parts ...any) string {
	sum := sha256.New()
	for _, part := range parts {
		text, err := json.Marshal(part)
		if err != nil {
			// This cannot happen: the configuration was read from JSON.
			panic(fmt.Sprintf("digest of %T: %v", part, err))
		}
		_, _ = sum.Write(append(text, 0))
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

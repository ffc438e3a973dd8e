package components

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions"
	"strata/actions/hosts/hostrun"
	"strata/health"
	"strata/internal/k3shost"
	"strata/internal/pulumi/join"
	"strata/internal/pulumi/rerun"
	"strata/internal/pulumi/self"
	ssh "strata/internal/ssh/remote"
)

//go:embed scripts/*.sh
var scripts embed.FS

// shared maps the name of a script to the shell functions that are prepended to the script.
var shared = map[string]string{
	"k3s-claim.sh":      k3shost.Ownership,
	"k3s-install.sh":    k3shost.Ownership + k3shost.SysctlsFunction + k3shost.Functions,
	"k3s-uninstall.sh":  k3shost.Ownership,
	"k3s-vip.sh":        k3shost.RecordFunctions,
	"k3s-vip-remove.sh": k3shost.Ownership, "k3s-ca-hash.sh": k3shost.Ownership,
}

// variable is a shell variable of a script. Its value must not be secret, because the script is a
// command-line argument on the host.
type variable struct{ name, value string }

// hostScript returns an embedded script, preceded by its variables and shared functions.
func hostScript(script string, variables ...variable) string {
	var text strings.Builder
	for _, v := range variables {
		fmt.Fprintf(&text, "%s=%s\n", v.name, ssh.Quote(v.value))
	}
	text.WriteString(shared[script])
	content, err := scripts.ReadFile("scripts/" + script)
	if err != nil {
		panic(err) // cannot happen: the file is embedded
	}
	text.Write(content)
	return text.String()
}

// runs returns a command that runs an input's scripts on the host. The method sets the input's
// Target.
func (h *Host) runs(asked pulumix.Output[hostrun.Input]) *local.CommandArgs {
	input := join.Two(asked, h.pinnedTarget(),
		func(input hostrun.Input, host health.Host) hostrun.Input {
			input.Target = host.Target
			return input
		})
	command := actions.CommandOf(hostrun.Create, input, pulumi.StringMap{self.SSHKey: h.SSHKey})
	command.Logging = local.LoggingStdoutAndStderr
	return command
}

// newCommand registers a command that runs again if its results were changed by hand (PutBack).
func newCommand(
	ctx *pulumi.Context, name string, args *local.CommandArgs, opts ...pulumi.ResourceOption,
) (*local.Command, error) {
	returns := putBack(ctx, name)
	if returns.reason != "" {
		environment := pulumi.StringMap{self.PutBack: pulumi.String(returns.reason)}
		if given, ok := args.Environment.(pulumi.StringMap); ok {
			maps.Copy(environment, given)
		}
		args.Environment = environment
	}
	return local.NewCommand(ctx, name, args, append(slices.Clone(opts), returns.option)...)
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

// registerAttempt adds the random word of rerun.Attempt to the environment of a command, so that
// the command runs again after a change that failed and was reverted. opts are the command's own
// options.
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

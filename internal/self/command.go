package self

import (
	"encoding/json"
	"fmt"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// The variables that a subcommand finds in its environment. They stand in the states of stacks, whose resources are deleted with what they
// have there. Keys are private and in PEM, and several of them one after the other. All but Attempt, Calendar and Cluster are secret.
const (
	// Kubeconfig is the cluster's kubeconfig.
	Kubeconfig = "STRATA_KUBECONFIG"
	// SSHKey logs in to hosts, HypervisorKey to the hypervisor.
	SSHKey        = "STRATA_SSH_KEY"
	HypervisorKey = "STRATA_HYPERVISOR_KEY"
	// HostKey becomes a machine's own host key.
	HostKey = "STRATA_HOST_KEY"
	// VaultKeys are the keys of the stack's own Vault, as JSON.
	VaultKeys = "STRATA_VAULT_KEYS"
	// BasicAuth is user:password, and APIKey a key, for requests that need one.
	BasicAuth = "STRATA_BASIC_AUTH"
	APIKey    = "STRATA_API_KEY"
	// Attempt is a word of rerun.Attempt. Calendar is the present month, and Cluster the cluster's identity: another one is a reason to run.
	Attempt  = "STRATA_ATTEMPT"
	Calendar = "STRATA_CALENDAR"
	Cluster  = "STRATA_CLUSTER"
	// PreviousOutput is what the resource's command printed the last time, where it asks for that. The provider sets it.
	PreviousOutput = "PULUMI_COMMAND_STDOUT"
)

// Exec is the command text that runs this program, up to the subcommand. The path is relative, so that checkouts at different places agree,
// and exec lets a timeout kill the program and not only its shell (docs/adr/0002).
const Exec = "exec " + Path + " "

// Text is the command text that runs a subcommand of this program, for example "crds apply".
func Text(subcommand string) pulumi.String { return pulumi.String(Exec + subcommand) }

// Command is a resource's command that runs a subcommand. input is of the type that the subcommand reads, or an Output of it, and becomes
// the JSON on its stdin; nil for none. It asks for no previous output, because what ran before is no input of what runs now.
func Command(subcommand string, input any, environment pulumi.StringMap) *local.CommandArgs {
	command := &local.CommandArgs{
		Create: Text(subcommand), Logging: local.LoggingStderr, AddPreviousOutputInEnv: pulumi.Bool(false),
	}
	if input != nil {
		command.Stdin = stdin(subcommand, input)
	}
	if len(environment) > 0 {
		command.Environment = environment
	}
	return command
}

// AtDelete is a command that runs a subcommand when its resource is deleted, and at no other time.
func AtDelete(subcommand string, input any, environment pulumi.StringMap) *local.CommandArgs {
	command := Command(subcommand, input, environment)
	command.Create, command.Delete = nil, command.Create
	return command
}

// stdin is an input as JSON, once it is known.
func stdin(subcommand string, input any) pulumi.StringPtrInput {
	encode := func(value any) (*string, error) {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("input of %s: %w", subcommand, err)
		}
		out := string(text)
		return &out, nil
	}
	if later, ok := input.(pulumi.Output); ok {
		return later.ApplyT(encode).(pulumi.StringPtrOutput)
	}
	// An error of it is the resource's, too.
	now := pulumi.Bool(true).ToBoolOutput()
	return now.ApplyT(func(bool) (*string, error) { return encode(input) }).(pulumi.StringPtrOutput)
}

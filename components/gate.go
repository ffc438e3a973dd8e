package components

import (
	"time"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"

	"strata/actions"
	"strata/actions/gate"
	"strata/health"
	"strata/internal/pulumi/join"
	"strata/internal/pulumi/rerun"
	"strata/internal/pulumi/self"
)

// deadlineSlack is added to the gate's own deadline to get the engine's, so that the gate reports
// first.
const deadlineSlack = 30 * time.Second

// Gate is a custom resource that exists only when its subject is ready. It is not a component,
// because DependsOn on a component is racy in the Go SDK (docs/adr/0001). Only gates have this
// type; a command that drains or upgrades does not. DependsOn needs the command in it, which is the
// resource that Pulumi has registered.
type Gate struct{ *local.Command }

// gateArgs configures a Gate.
type gateArgs struct {
	// Spec configures the observation. Callers leave Spec.Hosts empty; it is filled from Hosts.
	Spec health.Spec
	// Servers become Spec.Servers if they are known only later. Default: Spec.Servers is used
	// unchanged.
	Servers pulumi.StringArrayInput
	// Hosts become Spec.Hosts, with their keys.
	Hosts []pinnedHost
	// Body becomes Spec.Body if it is complete only later. Default: Spec.Body is used unchanged.
	Body pulumix.Input[health.Body]
	// SSHKey is the hosts' private key, or several keys one after the other, in PEM. Secret.
	SSHKey pulumi.StringInput
	// HypervisorKey is the private key that logs in to the hypervisor. Secret. Only for kind vm, if
	// the hypervisor is another machine.
	HypervisorKey pulumi.StringInput
	// Kubeconfig is the cluster's kubeconfig. Secret. Only for the kinds that ask an API server.
	Kubeconfig pulumi.StringInput
	// Revision is a digest of the gate's subject; it becomes Spec.Revision. Optional.
	Revision pulumi.StringInput
	// Attempt is a word of rerun.Attempt. It is for a gate whose Spec may be unknown in a preview
	// although it does not change. With it, the preview shows an update in place and no
	// replacement. Optional.
	Attempt pulumi.StringInput
	// BasicAuth is user:password for probes that log in. Secret. Only for kind http.
	BasicAuth pulumi.StringInput
	// APIKey is for probes that send a key, and for the admin API of kind upstreams. Secret.
	APIKey pulumi.StringInput
}

// newGate registers a gate. The gate runs again when its Spec, a host key or a secret changes.
// After a failure it runs again on the next update, even if that update restores a former
// configuration (internal/pulumi/rerun).
func newGate(
	ctx *pulumi.Context, name string, args *gateArgs, opts ...pulumi.ResourceOption,
) (*Gate, error) {
	bound, environment := args.complete(name), args.environment()
	opts = append(opts, pulumi.Timeouts(&pulumi.CustomTimeouts{Create: bound, Update: bound}))
	if args.Attempt != nil {
		environment[self.Attempt] = args.Attempt
	} else {
		opts = append(opts, rerun.ReplaceOnChange())
	}
	runs := actions.CommandOf(gate.Ask, args.spec(), nil)
	runs.Environment = environment // where it is empty, too: states have it so
	command, err := local.NewCommand(ctx, name, runs, opts...)
	if err != nil {
		return nil, err
	}
	registers := &Gate{command}
	if registered, ok := ctx.Value(registeredGatesKey{}).(*RegisteredGates); ok {
		registered.Specs = append(registered.Specs, args.Spec)
		registered.Gates = append(registered.Gates, registers)
	}
	return registers, nil
}

// newGateAtDelete registers a command that asks a gate only when the command is deleted. If the
// gate does not open, the delete fails, and the next update asks again.
func newGateAtDelete(
	ctx *pulumi.Context, name string, args *gateArgs, opts ...pulumi.ResourceOption,
) (pulumi.Resource, error) {
	bound := args.complete(name)
	runs := actions.AtDelete(actions.CommandOf(gate.AskAtDelete, args.spec(), args.environment()))
	return local.NewCommand(ctx, name, runs,
		append(opts, pulumi.Timeouts(&pulumi.CustomTimeouts{Create: bound, Update: bound,
			Delete: bound}))...)
}

// complete sets the names of the Spec and its hosts, and returns the engine's time limit.
func (a *gateArgs) complete(name string) string {
	a.Spec.Gate, a.Spec.Hosts = name, nil
	for _, host := range a.Hosts {
		a.Spec.Hosts = append(a.Spec.Hosts, host.Host)
	}
	return (a.Spec.Timeout.Duration + deadlineSlack).String()
}

// environment returns the secrets that are set.
func (a *gateArgs) environment() pulumi.StringMap {
	environment := pulumi.StringMap{}
	for name, value := range map[string]pulumi.StringInput{
		self.SSHKey: a.SSHKey, self.HypervisorKey: a.HypervisorKey, self.Kubeconfig: a.Kubeconfig,
		self.BasicAuth: a.BasicAuth, self.APIKey: a.APIKey,
	} {
		if value != nil {
			environment[name] = value
		}
	}
	return environment
}

// spec returns the Spec with the values that are only known later.
func (a *gateArgs) spec() pulumix.Output[health.Spec] {
	if a.Revision == nil {
		a.Revision = pulumi.String(a.Spec.Revision)
	}
	if a.Body == nil {
		a.Body = pulumix.Val(a.Spec.Body)
	}
	if a.Servers == nil {
		a.Servers = pulumi.ToStringArray(a.Spec.Servers)
	}
	return join.Four(a.Revision, pinHosts(a.Hosts), a.Body, a.Servers,
		func(revision string, hosts []health.Host, body health.Body, servers []string) health.Spec {
			spec := a.Spec
			spec.Revision, spec.Hosts, spec.Body, spec.Servers = revision, hosts, body, servers
			return spec
		})
}

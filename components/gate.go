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

// deadlineSlack is added to a gate's own timeout to get Pulumi's timeout for the resource, so that
// the gate fails first and reports the reason.
const deadlineSlack = 30 * time.Second

// Gate is a command resource whose create succeeds only once all of the gate's checks pass. It is
// not a component, because DependsOn on a component is racy in the Go SDK (docs/adr/0001). Only
// read-only health checks have this type, not commands that drain or upgrade. Depend on a Gate by
// WaitFor, which passes the embedded command to DependsOn.
type Gate struct{ *local.Command }

// gateArgs configures a Gate.
type gateArgs struct {
	// Spec configures the checks. Callers leave Spec.Hosts empty; newGate sets it from Hosts.
	Spec health.Spec
	// Servers replaces Spec.Servers. Use it for servers that are outputs. Optional.
	Servers pulumi.StringArrayInput
	// Hosts become Spec.Hosts, with their pinned host keys. The gate gets the keys to log in.
	Hosts []*Host
	// Body replaces Spec.Body. Use it for a body with outputs. Optional.
	Body pulumix.Input[health.Body]
	// HypervisorKey is the private key that logs in to the hypervisor. Secret. Only for kind vm
	// with a remote hypervisor.
	HypervisorKey pulumi.StringInput
	// Kubeconfig is the cluster's kubeconfig. Secret. Only for kinds that use the Kubernetes API.
	Kubeconfig pulumi.StringInput
	// Revision is a digest of the configuration of the checked resources, such as a chart's version
	// and values. The gate runs again when Revision changes. Default: Spec.Revision.
	Revision pulumi.StringInput
	// Attempt is an output of rerun.Attempt. Set it if a preview may not know the Spec although the
	// Spec does not change. Then the preview shows an update in place instead of a replacement.
	// Optional.
	Attempt pulumi.StringInput
	// BasicAuth is the user:password of probes with Auth or Login. Secret. Only for kind http.
	BasicAuth pulumi.StringInput
	// APIKey is the key that probes of kind http send if they have a KeyHeader, or the admin API's
	// key for kind upstreams. Secret.
	APIKey pulumi.StringInput
}

// newGate registers a gate. The gate runs again when its Spec, a host key or a secret changes. A
// gate that has failed runs again on the next update, even if that update reverts the configuration
// (internal/pulumi/rerun).
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
	runs.Environment = environment // also if empty, as in existing states
	command, err := newCommand(ctx, name, runs, opts...)
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

// newGateAtDelete registers a command that runs a gate when the command is deleted. If the gate
// fails, the delete fails, and the next update retries it.
func newGateAtDelete(
	ctx *pulumi.Context, name string, args *gateArgs, opts ...pulumi.ResourceOption,
) (pulumi.Resource, error) {
	bound := args.complete(name)
	runs := actions.AtDelete(actions.CommandOf(gate.AskAtDelete, args.spec(), args.environment()))
	return local.NewCommand(ctx, name, runs,
		append(opts, pulumi.Timeouts(&pulumi.CustomTimeouts{Create: bound, Update: bound,
			Delete: bound}))...)
}

// complete sets Spec.Gate and Spec.Hosts, and returns Pulumi's timeout for the resource.
func (a *gateArgs) complete(name string) string {
	a.Spec.Gate, a.Spec.Hosts = name, targets(a.Hosts)
	return (a.Spec.Timeout.Duration + deadlineSlack).String()
}

// environment returns the environment variables for the secrets that are set.
func (a *gateArgs) environment() pulumi.StringMap {
	environment := pulumi.StringMap{}
	if len(a.Hosts) > 0 {
		environment[self.SSHKey] = keyrings(a.Hosts)
	}
	for name, value := range map[string]pulumi.StringInput{
		self.HypervisorKey: a.HypervisorKey, self.Kubeconfig: a.Kubeconfig,
		self.BasicAuth: a.BasicAuth, self.APIKey: a.APIKey,
	} {
		if value != nil {
			environment[name] = value
		}
	}
	return environment
}

// spec returns the Spec with Revision, Hosts, Body and Servers filled in as soon as they are known.
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
	return join.Four(a.Revision, pinnedTargets(a.Hosts), a.Body, a.Servers,
		func(revision string, hosts []health.Host, body health.Body, servers []string) health.Spec {
			spec := a.Spec
			spec.Revision, spec.Hosts, spec.Body, spec.Servers = revision, hosts, body, servers
			return spec
		})
}

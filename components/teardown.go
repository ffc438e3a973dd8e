package components

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/config"
	"strata/internal/self"
	"strata/internal/subcommand"
	"strata/internal/teardown"
)

// teardownLimit bounds what is read of a cluster before its destroy: an election takes seconds, and one that is dead holds up no longer.
const teardownLimit = 15 * time.Second

// Registered notes the resources that a program registers, for one that depends on all of them.
type Registered struct {
	mutex sync.Mutex
	made  []pulumi.Resource
	// needed are those that another one depends on, as far as it says so: what has them has them through that one.
	needed map[pulumi.Resource]bool
}

// Watch notes what is registered from now on. It changes no resource.
func (r *Registered) Watch(ctx *pulumi.Context) error {
	return ctx.RegisterStackTransformation(func(args *pulumi.ResourceTransformationArgs) *pulumi.ResourceTransformationResult {
		r.note(args)
		return nil
	})
}

func (r *Registered) note(args *pulumi.ResourceTransformationArgs) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if _, custom := args.Resource.(pulumi.CustomResource); !custom {
		return
	}
	r.made = append(r.made, args.Resource)
	options, err := pulumi.NewResourceOptions(args.Opts...)
	if err != nil {
		return // then it has none that can be read, and nothing is left out
	}
	if r.needed == nil {
		r.needed = map[pulumi.Resource]bool{}
	}
	for _, need := range options.DependsOn {
		r.needed[need] = true
	}
}

// leaves are the resources that no other says it depends on. What depends on all of them depends on everything.
func (r *Registered) leaves() []pulumi.Resource {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.DeleteFunc(slices.Clone(r.made), func(made pulumi.Resource) bool { return r.needed[made] })
}

// TeardownArgs configures Teardown.
type TeardownArgs struct {
	// Config is the whole configuration; two of its keys protect.
	Config *config.Config
	// Cluster is the one that a destroy takes away. Required.
	Cluster *Cluster
	// Before are all resources of the program. Required.
	Before *Registered
}

// Teardown owns the guard whose delete is the first of a destroy: it refuses where the configuration protects the cluster, and says what
// will be lost. Pulumi's own protection is checked when a resource's turn comes, and by then all that depends on it is gone.
type Teardown struct {
	pulumi.ResourceState
}

// NewTeardown registers the guard. It must come last. It does nothing but at its delete, and is not deleted with anything: it would not be
// asked then (docs/adr/0025).
func NewTeardown(ctx *pulumi.Context, name string, args *TeardownArgs, opts ...pulumi.ResourceOption) (*Teardown, error) {
	t := &Teardown{}
	leaves := args.Before.leaves()
	if err := ctx.RegisterComponentResource("strata:teardown:Teardown", name, t, opts...); err != nil {
		return nil, err
	}
	environment := pulumi.StringMap{self.Kubeconfig: args.Cluster.Kubeconfig}
	guard, servers := args.guard(), args.Cluster.Hosts.With(config.RoleServer)
	if guard.Tunnel = tunnelTo(servers); guard.Tunnel.There() {
		environment[self.SSHKey] = accessTo(servers).sshKey
	}
	command := subcommand.AtDelete("teardown", guard, environment)
	_, err := local.NewCommand(ctx, name+"-guard", command, append(childOf(t, leaves...), bounded(metav1.Duration{Duration: teardownLimit}))...)
	if err != nil {
		return nil, fmt.Errorf("teardown: %w", err)
	}
	return t, ctx.RegisterResourceOutputs(t, pulumi.Map{})
}

// guard is what the guard asks at its delete.
func (args *TeardownArgs) guard() teardown.Guard {
	guard := teardown.Guard{
		Servers: args.Cluster.Servers, Namespaces: slices.Sorted(slices.Values(args.Cluster.namespaces)),
		Timeout: metav1.Duration{Duration: teardownLimit},
	}
	if args.Config.K3s.Protect {
		guard.Protected = append(guard.Protected, "strata:k3s.protect")
	}
	if args.Config.Hosts.VM.Protect {
		guard.Protected = append(guard.Protected, "strata:hosts.vm.protect")
	}
	return guard
}

package components

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions"
	"strata/actions/stack/teardown"
	"strata/actions/verb"
	"strata/config"
	"strata/internal/pulumi/join"
	"strata/internal/pulumi/self"
)

// guardLimit bounds a guard's reads of a cluster.
const guardLimit = time.Minute

// Registered records the resources that a program registers, so that one resource can depend on all
// of them.
type Registered struct {
	mutex sync.Mutex
	made  []pulumi.Resource
	// needed holds the resources on which another resource explicitly depends. A dependency on the
	// other resource includes them.
	needed map[pulumi.Resource]bool
}

// Watch records each resource that is registered from now on, without changing it.
func (r *Registered) Watch(ctx *pulumi.Context) error {
	return ctx.RegisterStackTransformation(
		func(args *pulumi.ResourceTransformationArgs) *pulumi.ResourceTransformationResult {
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

// leaves returns the resources on which no other resource explicitly depends. A dependency on all
// leaves is one on everything.
func (r *Registered) leaves() []pulumi.Resource {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.DeleteFunc(slices.Clone(r.made),
		func(made pulumi.Resource) bool { return r.needed[made] })
}

// TeardownArgs configures Teardown.
type TeardownArgs struct {
	// Config is the whole configuration. The guards use its protections and the losses to which it
	// consents.
	Config *config.Config
	// Cluster is the cluster whose objects are guarded. Required.
	Cluster *Cluster
	// Warn announces deletions in a preview. Optional.
	Warn func(ctx *pulumi.Context, message string) error
}

// Teardown owns the guards of others' objects in the cluster. The first guard runs before any layer
// changes. The last guard runs after all layers and before the first delete of an update. In a
// destroy, the last guard is deleted first. Each guard refuses a loss of others' objects
// (docs/adr/0025, 0052).
type Teardown struct {
	pulumi.ResourceState
	ctx   *pulumi.Context
	name  string
	args  *TeardownArgs
	first *local.Command
	// wanted is the guards' input, once every object is registered.
	wanted  pulumi.Output
	resolve func(any)
	reject  func(error)
}

// NewTeardown registers the first guard, and makes every layer wait for it. Callers must call End
// afterwards, even if the layers fail.
func NewTeardown(
	ctx *pulumi.Context, name string, args *TeardownArgs, opts ...pulumi.ResourceOption,
) (*Teardown, error) {
	t := &Teardown{ctx: ctx, name: name, args: args}
	if err := ctx.RegisterComponentResource(tokenOf("teardown", "Teardown"), name, t,
		opts...); err != nil {
		return nil, err
	}
	t.wanted, t.resolve, t.reject = ctx.NewOutput()
	options, err := t.warningOptions()
	if err != nil {
		return nil, err
	}
	t.first, err = t.guard(name+"-first", teardown.UpdateFirst, nil,
		append(options, childOf(t, args.Cluster.Stable)...)...)
	if err != nil {
		t.reject(err)
		return nil, fmt.Errorf("teardown: %w", err)
	}
	args.Cluster.Stable = t.first
	return t, nil
}

// End registers the last guard, which depends on all resources of the program. failed is the
// layers' error, or nil.
func (t *Teardown) End(registered *Registered, failed error) error {
	if failed != nil {
		t.reject(failed)
		return failed
	}
	leaves := registered.leaves()
	wanted := t.input()
	t.resolve(wanted)
	_, err := t.guard(t.name+"-guard", teardown.Update, actions.Text(teardown.Delete),
		childOf(t, leaves...)...)
	if err != nil {
		return fmt.Errorf("teardown: %w", err)
	}
	if err := t.awaitGuard(wanted); err != nil {
		return err
	}
	return t.ctx.RegisterResourceOutputs(t, pulumi.Map{"guarded": pulumi.Bool(true)})
}

// guard registers a guard. It finds the leaving and the arriving objects by comparing its input
// with its own previous output.
func (t *Teardown) guard(
	name string, asks *verb.Verb[teardown.Guard], atDelete pulumi.StringPtrInput,
	opts ...pulumi.ResourceOption,
) (*local.Command, error) {
	environment := pulumi.StringMap{self.Kubeconfig: t.args.Cluster.Kubeconfig}
	if servers := t.servers(); tunnelTo(servers).There() {
		environment[self.SSHKey] = accessTo(servers).sshKey
	}
	asked := join.Two(t.wanted, t.args.Cluster.Servers,
		func(guard teardown.Guard, servers []string) teardown.Guard {
			guard.Servers = servers
			return guard
		})
	command := actions.CommandOf(asks, asked, environment)
	command.AddPreviousOutputInEnv = pulumi.Bool(true)
	command.Delete = atDelete
	return local.NewCommand(t.ctx, name, command,
		append(opts, customTimeouts(metav1.Duration{Duration: guardLimit}))...)
}

// awaitGuard waits for the first guard. It returns an error if objects leave and the guard has not
// passed. With --continue-on-error, the engine would go on after the failed guard and delete; with
// --target, it may delete without a guard. An error of the program ends the run before its deletes.
// The output of a failed or skipped step is unknown, and an apply would not run on it.
func (t *Teardown) awaitGuard(wanted teardown.Guard) error {
	printed, err := internals.UnsafeAwaitOutput(t.ctx.Context(), t.first.Stdout)
	if err != nil || t.ctx.DryRun() && !printed.Known {
		return err
	}
	var passed teardown.Objects
	text, _ := printed.Value.(string)
	err = json.Unmarshal([]byte(text), &passed)
	leaving := passed.Holders(wanted.Objects)
	if err == nil && leaving == "" {
		return nil
	}
	return fmt.Errorf("%s-first has not passed, so nothing is deleted; it is asked about: %s; a "+
		"run with --target needs it as well",
		t.name, cmp.Or(leaving, "what leaves"))
}

// warningOptions returns the option by which a preview, which contacts no cluster, warns of
// deletions.
func (t *Teardown) warningOptions() ([]pulumi.ResourceOption, error) {
	if t.args.Warn == nil || !t.ctx.DryRun() {
		return nil, nil
	}
	hook, err := t.ctx.RegisterResourceHook(t.name+"-leaving",
		func(args *pulumi.ResourceHookArgs) error {
			before, wanted := guardOf(args.OldInputs), guardOf(args.NewInputs)
			if leaving := before.Objects.Holders(wanted.Objects); leaving != "" {
				return t.args.Warn(t.ctx, "with this run leave: "+leaving+
					"; pulumi up refuses where others keep something in them, or use them (strata:discard)")
			}
			return nil
		}, &pulumi.ResourceHookOptions{OnDryRun: true})
	return []pulumi.ResourceOption{pulumi.ResourceHooks(
		&pulumi.ResourceHookBinding{BeforeUpdate: []*pulumi.ResourceHook{hook}})}, err
}

// guardOf reads a guard's input. It returns no objects if the input is unknown or of another
// version.
func guardOf(inputs resource.PropertyMap) (guard teardown.Guard) {
	if text, known := plain(inputs)["stdin"].(string); known &&
		json.Unmarshal([]byte(text), &guard) != nil {
		return teardown.Guard{}
	}
	return guard
}

func (t *Teardown) servers() []*Host {
	if t.args.Cluster.Hosts == nil {
		return nil
	}
	return t.args.Cluster.Hosts.With(config.RoleServer)
}

// input returns the input of both guards.
func (t *Teardown) input() teardown.Guard {
	cluster, cfg := t.args.Cluster, t.args.Config
	cluster.objects.Sort()
	guard := teardown.Guard{
		Namespaces: cluster.objects["Namespace"], Tunnel: tunnelTo(t.servers()),
		Existing: cluster.Identity == nil,
		Objects:  cluster.objects, Discard: teardown.Discard(cfg.Discard),
		Timeout: metav1.Duration{Duration: guardLimit},
	}
	for key, protects := range map[string]bool{
		"strata:cluster.protect":  cfg.Cluster.Protect,
		"strata:hosts.vm.protect": cfg.Hosts.VM.Protect, "strata:k3s.protect": cfg.K3s.Protect,
	} {
		if protects {
			guard.Protected = append(guard.Protected, key)
		}
	}
	slices.Sort(guard.Protected)
	return guard
}

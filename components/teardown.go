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

// guardLimit is the timeout of a guard.
const guardLimit = time.Minute

// Registered records the resources that a program registers, so that a guard can depend on all of
// them.
type Registered struct {
	mutex sync.Mutex
	made  []pulumi.Resource
	// needed contains the resources that are listed in the DependsOn of at least one other
	// resource.
	needed map[pulumi.Resource]bool
}

// Watch records each resource that the program registers after the call.
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
		return // then its dependencies stay in leaves, which is safe
	}
	if r.needed == nil {
		r.needed = map[pulumi.Resource]bool{}
	}
	for _, need := range options.DependsOn {
		r.needed[need] = true
	}
}

// leaves returns the recorded resources that are in no other resource's DependsOn. A resource that
// depends on all leaves depends on all recorded resources.
func (r *Registered) leaves() []pulumi.Resource {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.DeleteFunc(slices.Clone(r.made),
		func(made pulumi.Resource) bool { return r.needed[made] })
}

// TeardownArgs configures Teardown.
type TeardownArgs struct {
	// Config is the whole configuration. The guards use the keys protect and the section
	// strata:discard.
	Config *config.Config
	// Cluster is the guarded cluster. Required.
	Cluster *Cluster
	// Warn prints a warning about deletions in a preview. Optional.
	Warn func(ctx *pulumi.Context, message string) error
}

// Teardown owns two guards, commands that fail if deletions would lose objects that other programs
// created in the cluster (docs/adr/0025, 0052). The first guard runs before any layer changes. The
// last guard runs after all layers, before an update's deletes. A destroy deletes the last guard
// first, which runs the guard's delete command.
type Teardown struct {
	pulumi.ResourceState
	ctx   *pulumi.Context
	name  string
	args  *TeardownArgs
	first *local.Command
	// wanted is the input of the guards. End resolves it, when all objects are registered, or
	// rejects it.
	wanted  pulumi.Output
	resolve func(any)
	reject  func(error)
}

// NewTeardown registers the first guard, and makes it Cluster.Stable, so that every layer waits for
// it. Callers must call End afterwards, even if the layers fail.
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

// End registers the last guard, which depends on all resources of the program. End waits for the
// first guard if the run deletes objects. failed is the error of the layers; if it is not nil, End
// returns it.
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

// guard registers a guard. The guard compares its input with its own previous output to find which
// objects the run adds and deletes.
func (t *Teardown) guard(
	name string, asks *verb.Verb[teardown.Guard], atDelete pulumi.StringPtrInput,
	opts ...pulumi.ResourceOption,
) (*local.Command, error) {
	environment := pulumi.StringMap{self.Kubeconfig: t.args.Cluster.Kubeconfig}
	if servers := t.servers(); tunnelTo(servers).There() {
		environment[self.SSHKey] = keyrings(servers)
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

// awaitGuard waits for the first guard, and returns an error if objects are to be deleted and the
// guard has not passed. The error of the program stops the run before its deletes. Otherwise Pulumi
// would delete objects in spite of a failed guard (--continue-on-error) or a skipped one
// (--target). An apply cannot return this error: the output of a failed or skipped guard is
// unknown, so the apply would not run.
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

// warningOptions returns the option that makes a preview warn of deletions. A guard cannot warn,
// because a preview runs no commands. It returns nil outside previews or without Warn.
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

// guardOf returns a guard's input from the resource's inputs. It returns the zero Guard if the
// input is unknown, or if another version of Strata wrote it.
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

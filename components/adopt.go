package components

import (
	"context"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Change describes the next step of the engine on an object or a Helm release in a cluster that
// Strata built.
type Change struct {
	// Token is the resource's Pulumi type, and Inputs are its inputs without the marks of secrets.
	Token  string
	Inputs map[string]any
	// Known is true if the state has the object or release: then the step is an update, otherwise a
	// create.
	Known bool
}

// ReplacesPods reports whether the change may replace serving Pods.
func (c Change) ReplacesPods() bool {
	switch c.Token {
	case "kubernetes:apps/v1:Deployment", "kubernetes:apps/v1:StatefulSet",
		"kubernetes:apps/v1:DaemonSet", "kubernetes:helm.sh/v3:Release":
		return c.Known
	}
	return false
}

// Before runs before a change. It adopts an object that the same program left behind, and refuses
// an object that another program made (actions/stack/adopt). It also waits while the change would
// lose requests (watchers.Watchers). say tells the user the reason of a wait.
type Before func(ctx context.Context, change Change, say func(string)) error

// Connect returns the hook that runs before each change in a cluster that Strata built, from its
// kubeconfig and its API servers' URLs.
type Connect func(kubeconfig string, servers []string) (Before, error)

// kubeconfigWait bounds the wait for the kubeconfig. It is known when a hook runs, because the
// provider needs it and exists already.
const kubeconfigWait = 30 * time.Second

// ask registers the hook that the engine calls before each create and update in the cluster. A
// command could not do that work, because it runs only when it is new in the state. After a kill,
// the state may have forgotten an object but not the commands before it (docs/adr/0023).
func (c *Cluster) ask(ctx *pulumi.Context, name string, servers []string, connect Connect) error {
	type connection struct {
		before Before
		err    error
	}
	connected := make(chan connection, 1)
	c.Kubeconfig.ApplyT(func(text string) string {
		before, err := connect(text, servers)
		connected <- connection{before, err}
		return ""
	})
	hook, err := ctx.RegisterResourceHook(name, func(args *pulumi.ResourceHookArgs) error {
		waiting, cancel := context.WithTimeout(ctx.Context(), kubeconfigWait)
		defer cancel()
		select {
		case one := <-connected:
			connected <- one
			if one.err != nil {
				return one.err
			}
			change := Change{Token: string(args.Type), Known: args.OldInputs != nil,
				Inputs: plain(args.NewInputs)}
			return one.before(ctx.Context(), change, func(what string) { _ = ctx.Log.Info(args.Name+": "+what, nil) }) // Log fails with the engine only
		case <-waiting.Done():
			return fmt.Errorf("the kubeconfig is not known after %s", kubeconfigWait)
		}
	}, nil)
	c.before = hook
	return err
}

// hookOptions returns the option by which the engine calls the hook before it creates or updates a
// resource. It returns nothing if the cluster has no hook.
func (c *Cluster) hookOptions() []pulumi.ResourceOption {
	if c.before == nil {
		return nil
	}
	hooks := []*pulumi.ResourceHook{c.before}
	return []pulumi.ResourceOption{pulumi.ResourceHooks(
		&pulumi.ResourceHookBinding{BeforeCreate: hooks, BeforeUpdate: hooks})}
}

// plain returns inputs as JSON values, without marks of secrets and outputs. They stay in this
// process.
func plain(inputs resource.PropertyMap) map[string]any {
	var reveal func(resource.PropertyValue) (any, bool)
	reveal = func(value resource.PropertyValue) (any, bool) {
		switch {
		case value.IsSecret():
			return value.SecretValue().Element.MapRepl(nil, reveal), true
		case value.IsOutput():
			return value.OutputValue().Element.MapRepl(nil, reveal), true
		}
		return nil, false
	}
	return inputs.MapRepl(nil, reveal)
}

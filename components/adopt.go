package components

import (
	"context"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Change describes a create or update of a Kubernetes object or Helm release that Pulumi's engine
// is about to make in a cluster that Strata built.
type Change struct {
	// Token is the resource's Pulumi type token. Inputs are the resource's inputs as plain values;
	// secrets are not marked.
	Token  string
	Inputs map[string]any
	// Known is true if the state has the object or release, so the change is an update. Otherwise
	// the change is a create.
	Known bool
}

// ReplacesPods reports whether the change updates a workload or a Helm release, which may replace
// Pods that serve requests.
func (c Change) ReplacesPods() bool {
	switch c.Token {
	case "kubernetes:apps/v1:Deployment", "kubernetes:apps/v1:StatefulSet",
		"kubernetes:apps/v1:DaemonSet", "kubernetes:helm.sh/v3:Release":
		return c.Known
	}
	return false
}

// Before runs before a change. It adopts an object that an interrupted run of the same program
// created, and refuses an object that another program created (actions/stack/adopt). It also waits
// while the change would lose requests (watchers.Watchers). It calls say with the reason for the
// wait, which is shown to the user.
type Before func(ctx context.Context, change Change, say func(string)) error

// Connect returns the hook that runs before each change in a cluster that Strata built. kubeconfig
// gives access to the cluster; servers are the URLs of its API servers.
type Connect func(kubeconfig string, servers []string) (Before, error)

// kubeconfigWait bounds a hook's wait for the kubeconfig. The wait is short: a hook runs only after
// the provider is configured, and the provider needs the kubeconfig as well.
const kubeconfigWait = 30 * time.Second

// ask registers the hook that the engine calls before each create and update in the cluster. A
// command resource could not replace the hook: if a run is killed, the state may have the command
// but not the object that was created after it. Then the command would not run again
// (docs/adr/0023).
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
			// Log fails only if the connection to Pulumi's engine fails, so its error is ignored.
			return one.before(ctx.Context(), change, func(what string) { _ = ctx.Log.Info(args.Name+": "+what, nil) })
		case <-waiting.Done():
			return fmt.Errorf("the kubeconfig is not known after %s", kubeconfigWait)
		}
	}, nil)
	c.before = hook
	return err
}

// beforeChange returns the option that makes the engine call the hook before it creates or updates
// a resource. If hook is nil, the option does nothing.
func beforeChange(hook *pulumi.ResourceHook) pulumi.ResourceOption {
	if hook == nil {
		return pulumi.Composite()
	}
	hooks := []*pulumi.ResourceHook{hook}
	return pulumi.ResourceHooks(
		&pulumi.ResourceHookBinding{BeforeCreate: hooks, BeforeUpdate: hooks})
}

// plain returns inputs as JSON values and unwraps secrets and outputs. Callers must not write the
// result anywhere, because it contains secrets in plain text.
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

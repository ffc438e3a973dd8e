package components

import (
	"context"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Adopt is asked before an object or a Helm release is created in a cluster of ours, or updated where the state knows it, with its Pulumi
// type and its inputs. It adopts the object where the same program left it behind, and refuses it with an error where another program made it
// (internal/adopt).
type Adopt func(ctx context.Context, token string, known bool, inputs map[string]any) error

// kubeconfigWait bounds the wait for an output that is known by then: the provider, which needs it, exists.
const kubeconfigWait = 30 * time.Second

// adopt registers what the engine calls before each create and update in the cluster. No command could do that work: it would run when it is new in
// the state, but what a kill has made the state forget is new while every command before it is not (docs/adr/0023).
func (c *Cluster) adopt(ctx *pulumi.Context, name string, connect func(kubeconfig string) (Adopt, error)) error {
	type connection struct {
		adopt Adopt
		err   error
	}
	connected := make(chan connection, 1)
	c.Kubeconfig.ApplyT(func(text string) string {
		adopt, err := connect(text)
		connected <- connection{adopt, err}
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
			return one.adopt(ctx.Context(), string(args.Type), args.OldInputs != nil, plain(args.NewInputs))
		case <-waiting.Done():
			return fmt.Errorf("the kubeconfig is not known after %s", kubeconfigWait)
		}
	}, nil)
	c.before = hook
	return err
}

// adopting makes the engine call the hook before it creates a resource; nothing where the cluster has none.
func (c *Cluster) adopting() []pulumi.ResourceOption {
	if c.before == nil {
		return nil
	}
	hooks := []*pulumi.ResourceHook{c.before}
	return []pulumi.ResourceOption{pulumi.ResourceHooks(&pulumi.ResourceHookBinding{BeforeCreate: hooks, BeforeUpdate: hooks})}
}

// plain are inputs as JSON has them: without marks of secrets and outputs. They stay in this process.
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

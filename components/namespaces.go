package components

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// NamespacesArgs configures Namespaces.
type NamespacesArgs struct {
	// Names are the names of the namespaces, without duplicates.
	Names []string
	// Cluster is the cluster of the namespaces. Required.
	Cluster *Cluster
	// After are the gates that each namespace waits for.
	After []pulumi.Resource
}

// Namespaces owns namespaces that several components share.
type Namespaces struct {
	pulumi.ResourceState
	// Objects are the namespaces by name.
	Objects map[string]pulumi.Resource
}

// NewNamespaces registers the namespaces.
func NewNamespaces(
	ctx *pulumi.Context, name string, args *NamespacesArgs, opts ...pulumi.ResourceOption,
) (*Namespaces, error) {
	n := &Namespaces{Objects: map[string]pulumi.Resource{}}
	if err := ctx.RegisterComponentResource(tokenOf("apps", "Namespaces"), name, n,
		opts...); err != nil {
		return nil, err
	}
	for _, namespace := range args.Names {
		made, err := newNamespace(ctx, args.Cluster, name+"-"+namespace, namespace, nil,
			childOf(n, args.After...)...)
		if err != nil {
			return nil, fmt.Errorf("namespace %s: %w", namespace, err)
		}
		n.Objects[namespace] = made
	}
	return n, registerOutputs(ctx, n)
}

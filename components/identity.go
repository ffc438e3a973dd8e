package components

import (
	"github.com/pulumi/pulumi-random/sdk/v4/go/random"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	k3snode "strata/internal/k3s/node"
)

// Identity is what a cluster is known by before it has a host: hosts say with it whose they are.
type Identity struct {
	// cluster is the component that will own the cluster, so that what is registered here stays its child.
	cluster *K3s
	// id is the cluster's random word, token what joins it; secret.
	id    *random.RandomId
	token pulumi.StringOutput
	// kept are the resources behind both. A host depends on them, not because it needs them, but so that a destroy forgets them last: a
	// token that leaves the state before the node that has it makes the next up draw another one, with which a living server does not
	// start (docs/adr/0024).
	kept []pulumi.Resource
	// Owner is a host's, without its node.
	Owner OwnerOutput
}

// OwnerOutput is a k3snode.Owner once the cluster's identity is known, which it is in every preview but the first.
type OwnerOutput = pulumi.AnyOutput

// NewIdentity registers the cluster of a name as a component, and its identity and join token, born secret. NewK3s goes on with it.
func NewIdentity(ctx *pulumi.Context, name string, opts ...pulumi.ResourceOption) (*Identity, error) {
	i := &Identity{cluster: &K3s{}}
	if err := ctx.RegisterComponentResource("strata:k3s:K3s", name, i.cluster, opts...); err != nil {
		return nil, err
	}
	var err error
	if i.id, err = random.NewRandomId(ctx, name+"-cluster", &random.RandomIdArgs{ByteLength: pulumi.Int(8)}, childOf(i.cluster)...); err != nil {
		return nil, err
	}
	token, err := newPassword(ctx, name+"-token", 48, childOf(i.cluster)...)
	if err != nil {
		return nil, err
	}
	i.kept = []pulumi.Resource{i.id, token}
	i.token = pulumi.ToSecret(token.Result).(pulumi.StringOutput)
	project, stack := ctx.Project(), ctx.Stack()
	i.Owner = pulumi.All(i.id.Hex, sumOf(i.token)).ApplyT(func(known []any) any {
		return k3snode.Owner{Cluster: known[0].(string), TokenSHA256: known[1].(string), Project: project, Stack: stack}
	}).(pulumi.AnyOutput)
	return i, nil
}

// owned are the variables of a script that knows whose a host is.
func owned(owner k3snode.Owner, node string) []variable {
	values := owner.At(node).Variables()
	list := make([]variable, 0, len(values))
	for _, name := range []string{"CLUSTER", "TOKEN_SHA256", "PROJECT", "STACK", "NODE"} {
		list = append(list, variable{name, values[name]})
	}
	return list
}

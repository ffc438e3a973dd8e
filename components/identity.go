package components

import (
	"strings"

	"github.com/pulumi/pulumi-random/sdk/v4/go/random"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"

	"strata/actions/k3s/token"
	"strata/internal/k3shost"
	"strata/internal/pulumi/join"
)

// Identity has a cluster's identifier and join tokens, which exist before any host does. Owner
// files on the hosts refer to the identifier.
type Identity struct {
	// cluster is the component that NewK3s completes. It is the parent of the identity's resources.
	cluster *K3s
	// id is the cluster's random identifier.
	id *random.RandomId
	// tokens are the tokens with which nodes join the cluster.
	tokens tokens
	// kept are the Pulumi resources of the identifier and the tokens. Hosts depend on them so that
	// a destroy deletes them last. If an interrupted destroy had deleted a token but not its node,
	// the next update would generate a new token, with which the existing server does not start
	// (docs/adr/0024).
	kept []pulumi.Resource
	// owner is the content of the hosts' owner files, without the node's name.
	owner ownerOutput
}

// ownerOutput is an output of an Owner. Previews do not know its value before the first update.
type ownerOutput = pulumix.Output[k3shost.Owner]

// NewIdentity registers the component of the cluster, its identifier, and the join tokens of all
// generations up to the given one. NewK3s registers the rest of the component.
func NewIdentity(
	ctx *pulumi.Context, name string, generation int, opts ...pulumi.ResourceOption,
) (*Identity, error) {
	i := &Identity{cluster: &K3s{}}
	if err := ctx.RegisterComponentResource(tokenOf("k3s", "K3s"), name, i.cluster,
		opts...); err != nil {
		return nil, err
	}
	var err error
	if i.id, err = random.NewRandomId(ctx, name+"-cluster",
		&random.RandomIdArgs{ByteLength: pulumi.Int(8)}, childOf(i.cluster)...); err != nil {
		return nil, err
	}
	i.kept = []pulumi.Resource{i.id}
	for g := range generation + 1 {
		server, err := i.draw(ctx, token.Name(name+"-token", g))
		if err != nil {
			return nil, err
		}
		if i.tokens.agent, err = i.draw(ctx, token.Name(name+"-agent-token", g)); err != nil {
			return nil, err
		}
		i.tokens.servers = append(i.tokens.servers, server)
	}
	project, stack := ctx.Project(), ctx.Stack()
	sums := pulumi.StringArray{sumOf(i.tokens.agent)}
	for _, one := range i.tokens.servers {
		sums = append(sums, sumOf(one.ToStringOutput()))
	}
	i.owner = join.Two(i.id.Hex, sums, func(word string, sums []string) k3shost.Owner {
		return k3shost.Owner{Cluster: word, TokenSHA256: strings.Join(sums, " "), Project: project,
			Stack: stack}
	})
	return i, nil
}

// tokens are a cluster's join tokens. Secret. A server joins with a server token, which gives
// access to the keys of the cluster's CAs. An agent joins with the agent token, which does not.
type tokens struct {
	// servers are the server tokens of all generations, the current one last. The earlier ones are
	// kept because an etcd snapshot can only be restored with the token that was current at its
	// creation.
	servers pulumi.StringArray
	agent   pulumi.StringOutput
}

// server returns the current server token.
func (t tokens) server() pulumi.StringOutput { return t.servers[len(t.servers)-1].ToStringOutput() }

// generation returns the generation of the current tokens.
func (t tokens) generation() int { return len(t.servers) - 1 }

// draw registers a random token and adds it to kept.
func (i *Identity) draw(ctx *pulumi.Context, name string) (pulumi.StringOutput, error) {
	password, err := newPassword(ctx, name, 48, childOf(i.cluster)...)
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	i.kept = append(i.kept, password)
	return pulumi.ToSecret(password.Result).(pulumi.StringOutput), nil
}

// ownerVariables returns the variables of a host's owner for host scripts.
func ownerVariables(owner k3shost.Owner, node string) []variable {
	values := owner.WithNode(node).Variables()
	list := make([]variable, 0, len(values))
	for _, name := range []string{"CLUSTER", "TOKEN_SHA256", "PROJECT", "STACK", "NODE"} {
		list = append(list, variable{name, values[name]})
	}
	return list
}

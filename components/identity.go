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

// Identity identifies a cluster before it has a host. Owner files on the hosts refer to it.
type Identity struct {
	// cluster is the component that will own the cluster. It is the parent of the resources that
	// are registered here.
	cluster *K3s
	// id is the cluster's random identifier.
	id *random.RandomId
	// tokens are the passwords with which nodes join.
	tokens tokens
	// kept are the resources of the identity and the tokens. A host depends on them only so that a
	// destroy deletes them last. If a token left the state before its node, the next update would
	// draw another token. A living server does not start with another token (docs/adr/0024).
	kept []pulumi.Resource
	// owner is the owner of the hosts, without a node.
	owner ownerOutput
}

// ownerOutput is an Owner that is known as soon as the cluster's identity is. In previews it is
// unknown only before the first update.
type ownerOutput = pulumix.Output[k3shost.Owner]

// NewIdentity registers the cluster as a component with a name. It also registers its identity, and
// join tokens up to a generation, which are secret from the start. NewK3s continues with it.
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

// tokens are a cluster's join tokens; they are secret. A server joins with the servers' token, and
// gets the keys of the cluster's CAs. An agent joins with the agents' token, and gets no such key.
type tokens struct {
	// servers are the servers' tokens of each generation, the wanted one last. A snapshot can only
	// be opened with the token of its time.
	servers pulumi.StringArray
	agent   pulumi.StringOutput
}

// server returns the wanted token of the servers.
func (t tokens) server() pulumi.StringOutput { return t.servers[len(t.servers)-1].ToStringOutput() }

// generation returns the generation of the wanted tokens.
func (t tokens) generation() int { return len(t.servers) - 1 }

// draw registers a token, and keeps it as long as the identity.
func (i *Identity) draw(ctx *pulumi.Context, name string) (pulumi.StringOutput, error) {
	password, err := newPassword(ctx, name, 48, childOf(i.cluster)...)
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	i.kept = append(i.kept, password)
	return pulumi.ToSecret(password.Result).(pulumi.StringOutput), nil
}

// ownerVariables returns the script variables that describe a host's owner.
func ownerVariables(owner k3shost.Owner, node string) []variable {
	values := owner.WithNode(node).Variables()
	list := make([]variable, 0, len(values))
	for _, name := range []string{"CLUSTER", "TOKEN_SHA256", "PROJECT", "STACK", "NODE"} {
		list = append(list, variable{name, values[name]})
	}
	return list
}

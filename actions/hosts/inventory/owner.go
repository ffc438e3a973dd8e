package inventory

import (
	"context"
	"fmt"
	"strings"
	"time"

	"strata/actions/k3s/token"
	"strata/internal/files/digest"
	"strata/internal/k3shost"
	"strata/internal/pulumi/stackstate"
)

// ownerLimit bounds a read of the state, whose backend may be far away, including Pulumi's start on
// a busy machine.
const ownerLimit = time.Minute

// ClusterID returns the random ID of a state's cluster; "" if it has none.
func ClusterID(state *stackstate.State) string {
	cluster, _ := state.Lookup("k3s-cluster")
	return cluster.Output("hex")
}

// OwnerOf returns the owner of a stack's hosts from its state, with an empty Node. If the state is
// unreadable or has no cluster yet, it returns an error and an owner with only the stack's name.
func OwnerOf(ctx context.Context, project, stack string) (k3shost.Owner, error) {
	owner := k3shost.Owner{Stack: stack}
	ctx, cancel := context.WithTimeout(ctx, ownerLimit)
	defer cancel()
	state, err := stackstate.CommandLine(project).Read(ctx, stack)
	if err != nil {
		return owner, err
	}
	cluster, _ := state.Lookup("k3s-cluster")
	tokens := append(token.Servers(state), token.Agents(state)...)
	owner.Cluster = cluster.Output("hex")
	if owner.Cluster == "" || len(tokens) == 0 {
		return k3shost.Owner{Stack: stack},
			fmt.Errorf("stack %s has no cluster yet: pulumi up makes its identity first, and is "+
				"then refused on a host that is another's", stack)
	}
	owner.Project = string(cluster.URN.Project())
	for i, one := range tokens {
		tokens[i] = digest.Sum([]byte(one))
	}
	owner.TokenSHA256 = strings.Join(tokens, " ")
	return owner, nil
}

package inventory

import (
	"context"
	"fmt"
	"time"

	"strata/internal/digest"
	k3snode "strata/internal/k3s/node"
	"strata/internal/stackstate"
)

// ownerLimit bounds the request to the state, which may be far away.
const ownerLimit = 5 * time.Second

// ClusterID is the identity of a state's cluster; empty where it has none.
func ClusterID(state *stackstate.State) string {
	cluster, _ := state.Named("k3s-cluster")
	return cluster.Output("hex")
}

// OwnerOf is whose the hosts of a stack are, without their nodes, as its state has it. A state that cannot be read, or has no cluster yet,
// is an error, and the names are all that is known.
func OwnerOf(ctx context.Context, project, stack string) (k3snode.Owner, error) {
	owner := k3snode.Owner{Stack: stack}
	ctx, cancel := context.WithTimeout(ctx, ownerLimit)
	defer cancel()
	state, err := stackstate.CommandLine(project).Read(ctx, stack)
	if err != nil {
		return owner, err
	}
	cluster, _ := state.Named("k3s-cluster")
	token, made := state.Named("k3s-token")
	owner.Cluster = cluster.Output("hex")
	if owner.Cluster == "" || !made {
		return k3snode.Owner{Stack: stack}, fmt.Errorf("stack %s has no cluster yet: pulumi up makes its identity first, and is then refused on a host that is another's", stack)
	}
	owner.Project = string(cluster.URN.Project())
	owner.TokenSHA256 = digest.Of([]byte(token.Output("result")))
	return owner, nil
}

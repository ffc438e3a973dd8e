package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	k3snode "strata/internal/k3s/node"
)

// ownerLimit bounds the question to the state, which may be far away.
const ownerLimit = 5 * time.Second

// clusterIn is the identity of a state's cluster; empty where it has none.
func clusterIn(resources []recordedResource) string {
	for _, resource := range resources {
		if strings.HasSuffix(resource.URN, "::k3s-cluster") {
			cluster, _ := resource.Outputs["hex"].(string)
			return cluster
		}
	}
	return ""
}

// ownerOf is whose the hosts of a stack are, without their nodes, as its state has it. A state that cannot be read, or has no cluster yet,
// is an error, and the names are all that is known.
func ownerOf(ctx context.Context, project, stack string) (k3snode.Owner, error) {
	owner := k3snode.Owner{Stack: stack}
	ctx, cancel := context.WithTimeout(ctx, ownerLimit)
	defer cancel()
	state, err := exportStack(ctx, project, stack)
	if err != nil {
		return owner, err
	}
	resources, err := allIn(state)
	if err != nil {
		return owner, err
	}
	for _, resource := range resources {
		if _, err := reveal(resource.Outputs); err != nil {
			return owner, fmt.Errorf("state of %s: %w", resource.URN, err)
		}
		switch {
		case strings.HasSuffix(resource.URN, "::k3s-cluster"):
			owner.Cluster, _ = resource.Outputs["hex"].(string)
			owner.Project = strings.Split(resource.URN, "::")[1] // urn:pulumi:STACK::PROJECT::TYPE::NAME
		case strings.HasSuffix(resource.URN, "::k3s-token"):
			token, _ := resource.Outputs["result"].(string)
			sum := sha256.Sum256([]byte(token))
			owner.TokenSHA256 = hex.EncodeToString(sum[:])
		}
	}
	if owner.Cluster == "" || owner.TokenSHA256 == "" {
		return k3snode.Owner{Stack: stack}, fmt.Errorf("stack %s has no cluster yet: pulumi up makes its identity first, and is then refused on a host that is another's", stack)
	}
	return owner, nil
}

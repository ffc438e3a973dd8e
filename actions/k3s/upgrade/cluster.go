package upgrade

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/kube/apiserver"
)

// nodes returns the cluster's Nodes by name.
func (r *Rollout) nodes(ctx context.Context) (map[string]corev1.Node, error) {
	list, err := apiserver.List(ctx, r.Client.CoreV1().Nodes(), metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	found := map[string]corev1.Node{}
	for _, node := range list.Items {
		found[node.Name] = node
	}
	return found, nil
}

// othersServe returns an error if a server other than leaving is down. If leaving stopped as well,
// etcd could lose its quorum, and evicted Pods could have no node.
func (r *Rollout) othersServe(ctx context.Context, leaving task) error {
	nodes, err := r.nodes(ctx)
	if err != nil {
		return err
	}
	urls := r.URLs()
	for _, host := range r.Plan.Nodes {
		url, server := urls[host.Name]
		node, joined := nodes[host.Name]
		if !server || host.Name == leaving.host.Name || !joined {
			continue
		}
		// A Node stays Ready for 40 s after its host died, so its API server is checked too.
		if err := r.Hosts.Serves(ctx, url); err != nil {
			return fmt.Errorf(
				"server %s does not serve (%w), and etcd bears no second one away; bring it "+
					"back, or take it out of strata:hosts", host.Name, err)
		}
		if ready := apiserver.ReadyOf(&node); ready.Status != corev1.ConditionTrue {
			return fmt.Errorf(
				"server %s is not Ready (%s: %s), and etcd bears no second one away; bring it "+
					"back, or take it out of strata:hosts",
				host.Name, ready.Reason, ready.Message)
		}
	}
	return nil
}

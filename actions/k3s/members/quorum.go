package members

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/kube/apiserver"
	"strata/internal/ssh/remote"
)

// etcdLabel is the label of Nodes whose server is an etcd member.
const etcdLabel = "node-role.kubernetes.io/etcd"

// DeadFirst sorts members for their removal: within a role, those whose Node is not Ready come
// first. A dead member counts for etcd's quorum until it is removed, so the removal of a living
// server before it could lose the quorum. The server that holds membersLease comes last, because
// its own removal takes long (etcdLimit), and another leaving server could get the lease meanwhile.
func (r *Remover) DeadFirst(ctx context.Context, leaving []Member) ([]Member, error) {
	alive := map[string]bool{}
	nodes, err := r.nodes(ctx, "")
	if err != nil {
		return nil, err
	}
	for i := range nodes {
		alive[nodes[i].Name] = apiserver.Ready(&nodes[i])
	}
	// The holder is a host name. If that differs from the node's name, no member matches, which
	// only costs one more wait.
	holder, err := r.membersHost(ctx)
	if err != nil {
		holder = "" // the lease may have no holder yet
	}
	rank := func(member Member) int {
		switch {
		case !alive[member.Name]:
			return 0
		case member.Name != holder:
			return 1
		}
		return 2
	}
	sorted := slices.Clone(leaving)
	slices.SortStableFunc(sorted, func(a, b Member) int {
		if a.Role != b.Role {
			return 0
		}
		return rank(a) - rank(b)
	})
	return sorted, nil
}

// returnLimit bounds the wait for a server that has just restarted, perhaps by this update. Its
// Node is not Ready until its kubelet reports.
const returnLimit = 2 * time.Minute

// keepsQuorum returns an error if etcd would lose its majority when the server leaving is removed.
// It first waits for servers that became NotReady less than returnLimit ago.
func (r *Remover) keepsQuorum(ctx context.Context, leaving Member) error {
	returning, err := r.quorumWithout(ctx, leaving)
	if err == nil || len(returning) == 0 {
		return err
	}
	r.say(leaving, "stays until %s is Ready again, for %s at most", strings.Join(returning, ", "),
		returnLimit)
	wait, cancel := context.WithTimeout(ctx, returnLimit)
	defer cancel()
	for _, name := range returning {
		if r.awaitNode(wait, Member{Target: remote.Target{Name: name}}, apiserver.Ready) != nil {
			break // the error below names the servers that are missing
		}
	}
	_, err = r.quorumWithout(ctx, leaving)
	return err
}

// quorumWithout returns an error if etcd would lose its majority when the server leaving is
// removed. returning then lists the other servers that became NotReady less than returnLimit ago.
func (r *Remover) quorumWithout(ctx context.Context, leaving Member) (returning []string,
	err error) {
	nodes, err := r.nodes(ctx, etcdLabel)
	if err != nil {
		return nil, err
	}
	members, alive := 0, 0
	var dead []string
	for i := range nodes {
		node := &nodes[i]
		if node.Name == leaving.Name || outOfEtcd(node) {
			continue
		}
		members++
		if apiserver.Ready(node) {
			alive++
		} else {
			dead = append(dead, node.Name)
			if time.Since(apiserver.ReadyOf(node).LastTransitionTime.Time) < returnLimit {
				returning = append(returning, node.Name)
			}
		}
	}
	if alive >= members/2+1 {
		return nil, nil
	}
	slices.Sort(dead)
	return returning, fmt.Errorf("%s is not taken out: of the %d servers that are left, %d work, "+
		"and etcd needs %d; bring back or replace %s first, "+
		"or take it out of strata:hosts instead", leaving.Name, members, alive, members/2+1,
		strings.Join(dead, ", "))
}

func (r *Remover) nodes(ctx context.Context, label string) ([]corev1.Node, error) {
	nodes, err := apiserver.List(ctx, r.Client.CoreV1().Nodes(),
		metav1.ListOptions{LabelSelector: label})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w; if the servers have lost their quorum: strata "+
			"restore --current --from SERVER --without DEAD", err)
	}
	return nodes.Items, nil
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

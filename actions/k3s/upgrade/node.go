package upgrade

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
	clientwatch "k8s.io/client-go/tools/watch"

	"strata/actions/k3s/drain"
	"strata/internal/kube/apiserver"
	"strata/internal/ssh/remote"
)

// uncordonLimit bounds the uncordon of a node, which also runs after the rollout's timeout.
const uncordonLimit = 15 * time.Second

// upgrade upgrades one node. A drained node whose new K3s does not work stays cordoned, so that no
// Pod is scheduled there. A node that cannot be drained keeps its old K3s and is uncordoned.
func (r *Rollout) upgrade(ctx context.Context, t task) error {
	started, name := time.Now(), t.host.Name
	r.mutex.Lock()
	r.ahead--
	r.mutex.Unlock()
	if err := r.othersServe(ctx, t); err != nil {
		return err
	}
	var after time.Time
	if t.restart {
		if !t.renew {
			if err := r.empty(ctx, t); err != nil {
				return err
			}
		}
		var err error
		if after, err = r.Hosts.Restart(ctx, t.host); err != nil {
			return errors.Join(err, r.keptGoing(ctx, t, err))
		}
		r.say("%s starts %s", name, r.Version)
	} else {
		r.say("%s was started with %s by a run that was interrupted", name, r.Version)
	}
	limited, cancel := context.WithTimeout(ctx, r.Return.Duration)
	defer cancel()
	if err := r.Hosts.Works(limited, t.host, t.url); err != nil {
		return fmt.Errorf("it did not come back and stays cordoned: %w", err)
	}
	if err := r.nodeReady(limited, name, after); err != nil {
		return fmt.Errorf("it did not come back and stays cordoned: %w", err)
	}
	if err := r.uncordon(ctx, name); err != nil {
		return err
	}
	r.say("%s is Ready with %s, %s", name, r.Version, formatElapsed(started))
	return nil
}

// keptGoing handles a failed restart. If the host refused the restart, the old K3s still runs, so
// the node is uncordoned. If the host's answer was lost, the new K3s may have started. The cordon
// then stays, because the next run would take an uncordoned node for a working one.
func (r *Rollout) keptGoing(ctx context.Context, t task, refused error) error {
	exit := &remote.ExitError{}
	if errors.As(refused, &exit) {
		return r.uncordon(ctx, t.host.Name)
	}
	return errors.New("it may have started the new K3s, and stays cordoned until the next run has seen it work")
}

// empty cordons a node, and drains it if another node can take its Pods.
func (r *Rollout) empty(ctx context.Context, t task) error {
	name := t.host.Name
	err := apiserver.Insist(ctx, func(ctx context.Context) error {
		return drain.Cordon(ctx, r.Client, name, r.Version)
	})
	if err != nil {
		return err
	}
	free, err := r.canTakePods(ctx, name)
	if err != nil {
		return errors.Join(err, r.uncordon(ctx, name))
	}
	if !free {
		r.say("%s is not drained: no other node could take its Pods; their containers go on during the restart", name)
		return nil
	}
	started := time.Now()
	limited, cancel := context.WithTimeout(ctx, r.Drain.Duration)
	defer cancel()
	drainer := drain.Drainer{Client: r.Client, Log: func(format string, args ...any) {
		r.say(name+": "+format, args...)
	}}
	if err := drainer.Drain(limited, name); err != nil {
		advice := ""
		if errors.Is(err, drain.ErrBlocked) {
			advice = "give the workload another replica or relax its PodDisruptionBudget "
		}
		return errors.Join(
			fmt.Errorf("%w; it runs its old version, uncordoned; %s(strata:timeouts.drain is %s)", err,
				advice, r.Drain.Duration),
			r.uncordon(ctx, name))
	}
	r.say("%s is drained, %s", name, formatElapsed(started))
	return nil
}

// canTakePods reports whether another node can take Pods: it is Ready, not cordoned, and has no
// taint that repels Pods. A tainted node does not count, because Pods that do not tolerate the
// taint could not run there.
func (r *Rollout) canTakePods(ctx context.Context, leaving string) (bool, error) {
	nodes, err := r.nodes(ctx)
	for name, node := range nodes {
		if name != leaving && !node.Spec.Unschedulable && apiserver.Ready(&node) &&
			!slices.ContainsFunc(node.Spec.Taints, repels) {
			return true, nil
		}
	}
	return false, err
}

// repels reports whether a taint keeps Pods away: NoSchedule or NoExecute.
func repels(taint corev1.Taint) bool { return taint.Effect != corev1.TaintEffectPreferNoSchedule }

// uncordon removes Strata's cordon, even after the rollout's timeout.
func (r *Rollout) uncordon(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), uncordonLimit)
	defer cancel()
	return apiserver.Insist(ctx, func(ctx context.Context) error {
		return drain.Uncordon(ctx,
			r.Client, name)
	})
}

// nodeReady waits until the node's new kubelet reports Ready. It ignores reports that are older
// than after, the time of the restart.
func (r *Rollout) nodeReady(ctx context.Context, name string, after time.Time) error {
	nodes := apiserver.OneNode(r.Client, name)
	output := "no API server answered"
	ready := func(node *corev1.Node) bool {
		condition := apiserver.ReadyOf(node)
		output = fmt.Sprintf("Node %s is Ready=%s (%s: %s) with kubelet %s", name, condition.Status,
			condition.Reason, condition.Message, node.Status.NodeInfo.KubeletVersion)
		return condition.Status == corev1.ConditionTrue &&
			node.Status.NodeInfo.KubeletVersion == r.Version &&
			!condition.LastHeartbeatTime.Time.Before(after)
	}
	_, err := clientwatch.UntilWithSync(ctx, nodes, &corev1.Node{}, nil,
		func(event watch.Event) (bool, error) {
			node, ok := event.Object.(*corev1.Node)
			return ok && node.Name == name && ready(node), nil
		})
	if err != nil {
		return fmt.Errorf(
			"expected it Ready with kubelet %s, found: %s; kubectl describe node %s (strata:timeouts.upgrade is %s)",
			r.Version, output, name, r.Return.Duration)
	}
	return nil
}

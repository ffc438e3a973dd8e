package pool

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

var (
	poolResource = schema.GroupVersionResource{Group: "metallb.io", Version: "v1beta1",
		Resource: "ipaddresspools"}
	announcementResource = schema.GroupVersionResource{Group: "metallb.io", Version: "v1beta1",
		Resource: "l2advertisements"}
	stateResource = schema.GroupVersionResource{Group: "metallb.io", Version: "v1beta1",
		Resource: "configurationstates"}
)

// stampSlack allows for the difference between two API servers' clocks, and for the resolution of
// the times that they write.
const stampSlack = time.Second

type poolWatch struct {
	spec   Spec
	stable *observe.Stable
}

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	all, err := kube.ClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	w := &poolWatch{spec: s, stable: observe.NewStable(time.Now)}
	return &kube.Watch[poolFacts]{
		Cluster: all, Stable: w.stable,
		Sources: []kube.Source{
			{Resource: poolResource, Namespace: s.Namespace},
			{Resource: announcementResource, Namespace: s.Namespace},
			{Resource: stateResource, Namespace: s.Namespace},
		},
		Read: w.read,
		Failed: func(fault *kube.Fault, seconds int) poolFacts {
			return poolFacts{Fault: fault, Seconds: seconds}
		},
		Judge: func(facts poolFacts) []health.Verdict { return judgePool(s, facts) },
	}, nil
}

func (w *poolWatch) read(ctx context.Context, s *kube.APIServer) (poolFacts, error) {
	pool, err := kube.Get[poolObject](ctx, s, poolResource, w.spec.Namespace, w.spec.Name)
	if err != nil || pool == nil {
		return poolFacts{Pool: pool.facts()}, err
	}
	announced, err := kube.List[announcementObject](ctx, s, announcementResource, w.spec.Namespace,
		metav1.ListOptions{})
	if err != nil {
		return poolFacts{}, err
	}
	states, err := kube.List[stateObject](ctx, s, stateResource, w.spec.Namespace,
		metav1.ListOptions{})
	if err != nil {
		return poolFacts{}, err
	}
	facts := poolFacts{Pool: pool.facts()}
	if facts.Speakers, err = observeSpeakers(ctx, s, w.spec); err != nil {
		return poolFacts{}, err
	}
	covering := slices.DeleteFunc(slices.Clone(announced),
		func(one announcementObject) bool { return !one.announces(pool.ObjectMeta) })
	nodes, err := observeNodes(ctx, s, covering, slices.Concat(facts.Speakers, w.spec.Speakers))
	if err != nil {
		return poolFacts{}, err
	}
	facts.Pool.setAnnouncement(covering, nodes)
	for i := range states {
		state := states[i].facts()
		state.Fresh = states[i].isNewerThan(pool.ObjectMeta)
		for j := range announced {
			// The controller only reads pools; the speakers read the advertisements as well.
			state.Fresh = state.Fresh &&
				(state.Name == "controller" || states[i].isNewerThan(announced[j].ObjectMeta))
		}
		if err := w.patience(ctx, s, &states[i], &state); err != nil {
			return poolFacts{}, err
		}
		facts.States = append(facts.States, state)
	}
	return facts, nil
}

// observeNodes returns the labels of the nodes of the given names. It asks for them only if an
// L2Advertisement selects nodes.
func observeNodes(
	ctx context.Context, s *kube.APIServer, covering []announcementObject, names []string,
) ([]labels.Set, error) {
	if !slices.ContainsFunc(covering,
		func(one announcementObject) bool { return len(one.Spec.NodeSelectors) > 0 }) {
		return nil, nil
	}
	nodes, err := kube.List[corev1.Node](ctx, s, kube.NodeResource, "", metav1.ListOptions{})
	var found []labels.Set
	for i := range nodes {
		if slices.Contains(names, nodes[i].Name) {
			found = append(found, nodes[i].Labels)
		}
	}
	return found, err
}

// observeSpeakers returns the sorted nodes that have a speaker's Pod which is not being deleted. It
// returns none if the specification names the nodes.
func observeSpeakers(ctx context.Context, s *kube.APIServer, spec Spec) ([]string, error) {
	if spec.SpeakerPods == "" {
		return nil, nil
	}
	pods, err := kube.List[corev1.Pod](ctx, s, kube.PodResource, spec.Namespace,
		metav1.ListOptions{LabelSelector: spec.SpeakerPods})
	var nodes []string
	for i := range pods {
		if pods[i].Spec.NodeName != "" && pods[i].DeletionTimestamp == nil {
			nodes = append(nodes, pods[i].Spec.NodeName)
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes), err
}

// patience sets for how long a state that is not fresh has been the same, and whether its writer
// lives.
func (w *poolWatch) patience(
	ctx context.Context, s *kube.APIServer, object *stateObject, state *configurationState,
) error {
	if state.Fresh {
		w.stable.Forget(state.Name)
		return nil
	}
	state.Seconds = w.stable.Seconds(state.Name, object.ResourceVersion)
	for _, owner := range object.OwnerReferences {
		pod, err := kube.Get[corev1.Pod](ctx, s, kube.PodResource, object.Namespace, owner.Name)
		if err != nil {
			return err
		}
		state.Alive = state.Alive || pod != nil && pod.UID == owner.UID && kube.PodReady(pod)
	}
	return nil
}

package pool

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

var (
	poolResource         = schema.GroupVersionResource{Group: "metallb.io", Version: "v1beta1", Resource: "ipaddresspools"}
	announcementResource = schema.GroupVersionResource{Group: "metallb.io", Version: "v1beta1", Resource: "l2advertisements"}
	stateResource        = schema.GroupVersionResource{Group: "metallb.io", Version: "v1beta1", Resource: "configurationstates"}
)

// stampSlack is what two API servers' clocks may differ by, and the resolution of the times that they write.
const stampSlack = time.Second

type poolWatch struct {
	spec    health.PoolSpec
	cluster *kube.Cluster
	stable  *observe.Stable
}

// New is the constructor of kind pool. Its error says what the Spec or the Secrets lack.
func New(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	if spec.Pool == nil || len(spec.Pool.Addresses) == 0 {
		return nil, errors.New("spec: pool: expected a pool with addresses")
	}
	all, err := kube.ClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	return &poolWatch{spec: *spec.Pool, cluster: all, stable: observe.NewStable(time.Now)}, nil
}

// Run implements Watch.
func (w *poolWatch) Run(ctx context.Context, report func([]health.Verdict)) error {
	sources := []kube.Source{
		{Resource: poolResource, Namespace: w.spec.Namespace},
		{Resource: announcementResource, Namespace: w.spec.Namespace},
		{Resource: stateResource, Namespace: w.spec.Namespace},
	}
	w.cluster.Observe(ctx, sources, func(ctx context.Context) []health.Verdict { return judgePool(w.spec, w.observe(ctx)) }, report)
	return nil
}

func (w *poolWatch) observe(ctx context.Context) poolFacts {
	var facts poolFacts
	fault, seconds := w.cluster.ObserveOnce(ctx, w.stable, func(ctx context.Context, s *kube.APIServer) (err error) {
		facts, err = w.read(ctx, s)
		return err
	})
	if fault != nil {
		return poolFacts{Fault: fault, Seconds: seconds}
	}
	return facts
}

func (w *poolWatch) read(ctx context.Context, s *kube.APIServer) (poolFacts, error) {
	pool, err := kube.Get[poolObject](ctx, s, poolResource, w.spec.Namespace, w.spec.Name)
	if err != nil || pool == nil {
		return poolFacts{Pool: pool.facts()}, err
	}
	announced, err := kube.List[bareObject](ctx, s, announcementResource, w.spec.Namespace, metav1.ListOptions{})
	if err != nil {
		return poolFacts{}, err
	}
	states, err := kube.List[stateObject](ctx, s, stateResource, w.spec.Namespace, metav1.ListOptions{})
	if err != nil {
		return poolFacts{}, err
	}
	facts := poolFacts{Pool: pool.facts()}
	if facts.Speakers, err = observeSpeakers(ctx, s, w.spec); err != nil {
		return poolFacts{}, err
	}
	for i := range states {
		state := states[i].facts()
		state.Fresh = states[i].after(pool.ObjectMeta)
		for j := range announced {
			// The controller only reads pools; the speakers read what announces them as well.
			state.Fresh = state.Fresh && (state.Name == "controller" || states[i].after(announced[j].ObjectMeta))
		}
		if err := w.patience(ctx, s, &states[i], &state); err != nil {
			return poolFacts{}, err
		}
		facts.States = append(facts.States, state)
	}
	return facts, nil
}

// observeSpeakers are the nodes that have a speaker's Pod which is to stay, sorted; none where the specification names them.
func observeSpeakers(ctx context.Context, s *kube.APIServer, spec health.PoolSpec) ([]string, error) {
	if spec.SpeakerPods == "" {
		return nil, nil
	}
	pods, err := kube.List[corev1.Pod](ctx, s, kube.PodResource, spec.Namespace, metav1.ListOptions{LabelSelector: spec.SpeakerPods})
	var nodes []string
	for i := range pods {
		if pods[i].Spec.NodeName != "" && pods[i].DeletionTimestamp == nil {
			nodes = append(nodes, pods[i].Spec.NodeName)
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes), err
}

// patience notes for how long a state that is not fresh has stood, and whether its writer lives.
func (w *poolWatch) patience(ctx context.Context, s *kube.APIServer, object *stateObject, state *configurationState) error {
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

// bareObject is what a gate reads of an object of which only the time of the last change matters.
type bareObject struct {
	metav1.ObjectMeta `json:"metadata"`
}

// poolObject is what a gate reads of an IPAddressPool (metallb api/v1beta1/ipaddresspool_types.go).
type poolObject struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Addresses     []string `json:"addresses"`
		AvoidBuggyIPs bool     `json:"avoidBuggyIPs"`
	} `json:"spec"`
	Status struct {
		AvailableIPv4 *int64 `json:"availableIPv4"`
		AvailableIPv6 *int64 `json:"availableIPv6"`
		AssignedIPv4  *int64 `json:"assignedIPv4"`
		AssignedIPv6  *int64 `json:"assignedIPv6"`
	} `json:"status"`
}

func (p *poolObject) facts() poolSeen {
	if p == nil {
		return poolSeen{Missing: true}
	}
	s := p.Status
	seen := poolSeen{Addresses: p.Spec.Addresses, Deleting: p.DeletionTimestamp != nil, Size: poolSize(p.Spec.Addresses, p.Spec.AvoidBuggyIPs)}
	seen.Counted = s.AvailableIPv4 != nil && s.AssignedIPv4 != nil
	for _, n := range []*int64{s.AvailableIPv4, s.AvailableIPv6} {
		seen.Available += value(n)
	}
	for _, n := range []*int64{s.AssignedIPv4, s.AssignedIPv6} {
		seen.Assigned += value(n)
	}
	return seen
}

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// stateObject is what a gate reads of a ConfigurationState.
type stateObject struct {
	metav1.ObjectMeta `json:"metadata"`
	Status            struct {
		Result       string           `json:"result"`
		ErrorSummary string           `json:"errorSummary"`
		Conditions   []kube.Condition `json:"conditions"`
	} `json:"status"`
}

func (o *stateObject) facts() configurationState {
	return configurationState{Name: o.Name, Result: o.Status.Result, Summary: o.Status.ErrorSummary, Conditions: o.Status.Conditions}
}

// after reports whether the state was written after the other object's specification last changed. Neither object says which
// generation of the other it has seen. Both were stored by the same API servers: a higher resourceVersion is a later write,
// and where the other's own status came later still, the times of the writes decide.
func (o *stateObject) after(other metav1.ObjectMeta) bool {
	state, errState := strconv.ParseUint(o.ResourceVersion, 10, 64)
	object, errOther := strconv.ParseUint(other.ResourceVersion, 10, 64)
	if errState == nil && errOther == nil && state > object {
		return true
	}
	return !lastWrite(o.ObjectMeta, true).Add(stampSlack).Before(lastWrite(other, false))
}

// lastWrite is when the API server last stored a change of the object's status, or of anything but its status.
func lastWrite(meta metav1.ObjectMeta, status bool) time.Time {
	var last time.Time
	if !status {
		last = meta.CreationTimestamp.Time
	}
	for _, entry := range meta.ManagedFields {
		if (entry.Subresource == "status") == status && entry.Time != nil && entry.Time.After(last) {
			last = entry.Time.Time
		}
	}
	return last
}

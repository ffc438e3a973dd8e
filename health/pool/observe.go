package pool

import (
	"context"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"strata/health/kube"
)

func (w *poolWatch) read(ctx context.Context, s *kube.APIServer) (poolFacts, error) {
	pool, err := kube.Get[poolObject](ctx, s, poolResource, w.spec.Namespace, w.spec.Name)
	if err != nil || pool == nil {
		return poolFacts{Pool: pool.facts()}, err
	}
	announced, err := kube.List[announcementObject](ctx, s, kube.AdvertisementResource, w.spec.Namespace,
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
			// The controller's state covers only pools. A speaker's state also covers
			// L2Advertisements.
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

// announcementObject has the fields of an L2Advertisement that a gate reads (metallb
// api/v1beta1/l2advertisement_types.go).
type announcementObject struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		IPAddressPools         []string               `json:"ipAddressPools"`
		IPAddressPoolSelectors []metav1.LabelSelector `json:"ipAddressPoolSelectors"`
		// NodeSelectors and Interfaces restrict the announcement. Without them, every speaker
		// announces at every interface.
		NodeSelectors []metav1.LabelSelector `json:"nodeSelectors"`
		Interfaces    []string               `json:"interfaces"`
	} `json:"spec"`
}

// announces reports whether the L2Advertisement covers a pool. An L2Advertisement without names and
// selectors covers all pools.
func (a *announcementObject) announces(pool metav1.ObjectMeta) bool {
	if a.DeletionTimestamp != nil {
		return false
	}
	names, selectors := a.Spec.IPAddressPools, a.Spec.IPAddressPoolSelectors
	return len(names)+len(selectors) == 0 || slices.Contains(names, pool.Name) ||
		selects(selectors, pool.Labels)
}

// suitsNode reports whether the L2Advertisement may announce from one of the nodes, given by their
// labels.
func (a *announcementObject) suitsNode(nodes []labels.Set) bool {
	selectors := a.Spec.NodeSelectors
	return len(selectors) == 0 || slices.ContainsFunc(nodes,
		func(node labels.Set) bool { return selects(selectors, node) })
}

// selects reports whether one of the selectors matches the labels.
func selects(selectors []metav1.LabelSelector, set labels.Set) bool {
	return slices.ContainsFunc(selectors, func(one metav1.LabelSelector) bool {
		selector, err := metav1.LabelSelectorAsSelector(&one)
		return err == nil && selector.Matches(set)
	})
}

// setAnnouncement sets how the L2Advertisements that cover the pool announce it from the nodes that
// have a speaker.
func (p *poolSeen) setAnnouncement(covering []announcementObject, nodes []labels.Set) {
	p.Unannounced, p.Nodeless = len(covering) == 0, len(covering) > 0
	var interfaces []string
	everywhere := false
	for _, one := range covering {
		if one.suitsNode(nodes) {
			p.Nodeless = false
			interfaces = append(interfaces, one.Spec.Interfaces...)
			everywhere = everywhere || len(one.Spec.Interfaces) == 0
		}
	}
	if !everywhere {
		p.Interfaces = interfaces
	}
}

// poolObject has the fields of an IPAddressPool that a gate reads (metallb
// api/v1beta1/ipaddresspool_types.go).
type poolObject struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Addresses     []string `json:"addresses"`
		AutoAssign    *bool    `json:"autoAssign"`
		AvoidBuggyIPs bool     `json:"avoidBuggyIPs"`
		// ServiceAllocation selects the Services that get an address, by namespaces and labels.
		ServiceAllocation *struct {
			Namespaces         []string               `json:"namespaces"`
			NamespaceSelectors []metav1.LabelSelector `json:"namespaceSelectors"`
			ServiceSelectors   []metav1.LabelSelector `json:"serviceSelectors"`
		} `json:"serviceAllocation"`
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
	seen := poolSeen{Addresses: p.Spec.Addresses, Deleting: p.DeletionTimestamp != nil,
		Size: poolSize(p.Spec.Addresses, p.Spec.AvoidBuggyIPs)}
	seen.Named = p.Spec.AutoAssign != nil && !*p.Spec.AutoAssign
	if to := p.Spec.ServiceAllocation; to != nil {
		seen.Reserved = len(to.Namespaces)+len(to.NamespaceSelectors)+len(to.ServiceSelectors) > 0
	}
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

// stateObject has the fields of a ConfigurationState that a gate reads.
type stateObject struct {
	metav1.ObjectMeta `json:"metadata"`
	Status            struct {
		Result       string           `json:"result"`
		ErrorSummary string           `json:"errorSummary"`
		Conditions   []kube.Condition `json:"conditions"`
	} `json:"status"`
}

func (o *stateObject) facts() configurationState {
	return configurationState{Name: o.Name, Result: o.Status.Result, Summary: o.Status.ErrorSummary,
		Conditions: o.Status.Conditions}
}

// isNewerThan reports whether the state was written after the other object's specification last
// changed. Neither object records which generation of the other it has seen. The same API servers
// stored both, so a higher resourceVersion is a later write. If the other object's own status came
// even later, the times of the writes decide.
func (o *stateObject) isNewerThan(other metav1.ObjectMeta) bool {
	state, errState := strconv.ParseUint(o.ResourceVersion, 10, 64)
	object, errOther := strconv.ParseUint(other.ResourceVersion, 10, 64)
	if errState == nil && errOther == nil && state > object {
		return true
	}
	return !lastWrite(o.ObjectMeta, true).Add(stampSlack).Before(lastWrite(other, false))
}

// lastWrite returns the time of the last stored change of the object's status or, if status is
// false, of its other fields.
func lastWrite(meta metav1.ObjectMeta, status bool) time.Time {
	var last time.Time
	if !status {
		last = meta.CreationTimestamp.Time
	}
	for _, entry := range meta.ManagedFields {
		if (entry.Subresource == "status") == status && entry.Time != nil &&
			entry.Time.After(last) {
			last = entry.Time.Time
		}
	}
	return last
}

// observeNodes returns the labels of the nodes of the given names. It reads the nodes only if an
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

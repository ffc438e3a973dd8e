package kube

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health"
	"strata/health/observe"
)

// WorkloadRef is a parsed Namespace/Kind/Name.
type WorkloadRef struct{ Namespace, Kind, Name string }

// ParseWorkload reads namespace/kind/name, where kind is Deployment, DaemonSet or StatefulSet.
func ParseWorkload(text string) (WorkloadRef, error) {
	parts := strings.Split(text, "/")
	if len(parts) != 3 || slices.Contains(parts, "") {
		return WorkloadRef{}, fmt.Errorf("spec: workload %q: expected namespace/kind/name", text)
	}
	for _, kind := range []string{"Deployment", "DaemonSet", "StatefulSet"} {
		if strings.EqualFold(parts[1], kind) {
			return WorkloadRef{Namespace: parts[0], Kind: kind, Name: parts[2]}, nil
		}
	}
	return WorkloadRef{}, fmt.Errorf("spec: workload %q: expected kind Deployment, DaemonSet or StatefulSet", text)
}

// resource returns the API's resource of the workload's kind.
func (r WorkloadRef) resource() schema.GroupVersionResource {
	switch r.Kind {
	case "DaemonSet":
		return DaemonSetResource
	case "StatefulSet":
		return statefulSetResource
	}
	return deploymentResource
}

// Sources returns the objects whose changes may change the verdict: the workload and its Pods.
func (r WorkloadRef) Sources() []Source {
	return []Source{{Resource: r.resource(), Namespace: r.Namespace, Name: r.Name}, {Resource: PodResource, Namespace: r.Namespace}}
}

// revision identifies the Pods of a workload's newest revision by the value of a label. An empty
// label matches every Pod.
type revision struct{ label, value string }

// observeWorkload reads a workload and, if it is not rolled out, its Pods and their events.
func observeWorkload(ctx context.Context, s *APIServer, r WorkloadRef) (WorkloadFacts, error) {
	facts := WorkloadFacts{Namespace: r.Namespace, Kind: r.Kind, Name: r.Name}
	var newest revision
	var uid string
	var err error
	switch r.Kind {
	case "DaemonSet":
		facts.selector, uid, err = facts.daemonSet(ctx, s)
	case "StatefulSet":
		facts.selector, newest, uid, err = facts.statefulSet(ctx, s)
	default:
		facts.selector, newest, uid, err = facts.deployment(ctx, s)
	}
	switch {
	case err == nil && facts.Missing:
		return facts, facts.observeNamespace(ctx, s)
	case err != nil || facts.selector == nil || JudgeWorkload(facts).State == health.Ready:
		return facts, err
	}
	if err := facts.pods(ctx, s, newest, uid); err != nil || facts.Refused == "" {
		return facts, err
	}
	facts.observeAdmission(ctx, s)
	if !strings.Contains(facts.Refused, "because it is being terminated") {
		return facts, nil
	}
	return facts, facts.observeNamespace(ctx, s)
}

// pods reads the Pods of the newest revision and the reasons for which Pods were refused.
func (w *WorkloadFacts) pods(ctx context.Context, s *APIServer, newest revision, uid string) error {
	var pods []corev1.Pod
	var events []corev1.Event
	if err := observe.InParallel(
		func() (err error) {
			pods, err = List[corev1.Pod](ctx, s, PodResource, w.Namespace, metav1.ListOptions{LabelSelector: metav1.FormatLabelSelector(w.selector)})
			return err
		},
		func() (err error) {
			events, err = List[corev1.Event](ctx, s, EventResource, w.Namespace, metav1.ListOptions{FieldSelector: "type=Warning"})
			return err
		},
	); err != nil {
		return err
	}
	if w.Kind != "Deployment" && len(pods) == 0 {
		// Only Deployments have a condition for refused Pods; the other kinds have an event.
		w.Refused = failedCreate(WarningsOf(events, uid))
	}
	for i := range pods {
		// A Pod of an older revision will be deleted, so its faults do not matter.
		if pods[i].DeletionTimestamp == nil && (newest.label == "" || pods[i].Labels[newest.label] == newest.value) {
			w.Pods = append(w.Pods, factsOfPod(&pods[i], events))
		} else if w.ordered && pods[i].DeletionTimestamp == nil && !PodReady(&pods[i]) {
			w.Blocker = pods[i].Name
		}
	}
	slices.SortFunc(w.Pods, func(a, b podFacts) int { return cmp.Compare(a.Name, b.Name) })
	return nil
}

func failedCreate(events []corev1.Event) string {
	for _, event := range events {
		if event.Reason == "FailedCreate" {
			return event.Message
		}
	}
	return ""
}

func (w *WorkloadFacts) daemonSet(ctx context.Context, s *APIServer) (*metav1.LabelSelector, string, error) {
	set, err := Get[appsv1.DaemonSet](ctx, s, DaemonSetResource, w.Namespace, w.Name)
	if err != nil || set == nil {
		w.Missing = err == nil
		return nil, "", err
	}
	w.Current = set.Status.ObservedGeneration >= set.Generation
	w.Desired, w.Updated, w.Available = set.Status.DesiredNumberScheduled, set.Status.UpdatedNumberScheduled, set.Status.NumberAvailable
	w.template = set.Spec.Template
	return set.Spec.Selector, string(set.UID), nil
}

func (w *WorkloadFacts) statefulSet(
	ctx context.Context, s *APIServer,
) (*metav1.LabelSelector, revision, string, error) {
	set, err := Get[appsv1.StatefulSet](ctx, s, statefulSetResource, w.Namespace, w.Name)
	if err != nil || set == nil {
		w.Missing = err == nil
		return nil, revision{}, "", err
	}
	w.Current = set.Status.ObservedGeneration >= set.Generation
	w.Desired, w.Updated, w.Available = replicas(set.Spec.Replicas), set.Status.UpdatedReplicas, set.Status.AvailableReplicas
	w.Old = max(set.Status.Replicas-set.Status.UpdatedReplicas, 0)
	w.template = set.Spec.Template
	w.ordered = set.Spec.PodManagementPolicy != appsv1.ParallelPodManagement
	return set.Spec.Selector, revision{label: appsv1.ControllerRevisionHashLabelKey, value: set.Status.UpdateRevision}, string(set.UID), nil
}

func (w *WorkloadFacts) deployment(ctx context.Context, s *APIServer) (*metav1.LabelSelector, revision, string, error) {
	d, err := Get[appsv1.Deployment](ctx, s, deploymentResource, w.Namespace, w.Name)
	if err != nil || d == nil {
		w.Missing = err == nil
		return nil, revision{}, "", err
	}
	w.Current = d.Status.ObservedGeneration >= d.Generation
	w.Desired, w.Updated, w.Available = replicas(d.Spec.Replicas), d.Status.UpdatedReplicas, d.Status.AvailableReplicas
	w.Old = max(d.Status.Replicas-d.Status.UpdatedReplicas, 0)
	w.template = d.Spec.Template
	for _, c := range d.Status.Conditions {
		if c.Type == appsv1.DeploymentReplicaFailure && c.Status == corev1.ConditionTrue {
			w.Refused = c.Message
		}
	}
	if JudgeWorkload(*w).State == health.Ready {
		// A Ready verdict needs no Pods, and reading the ReplicaSets would delay the gate.
		return d.Spec.Selector, revision{}, "", nil
	}
	newest, err := newestReplicaSet(ctx, s, d)
	return d.Spec.Selector, newest, string(d.UID), err
}

func replicas(n *int32) int32 {
	if n == nil {
		return 1
	}
	return *n
}

// newestReplicaSet returns the revision that a Deployment rolls out: of its ReplicaSets the one
// with the highest number.
func newestReplicaSet(ctx context.Context, s *APIServer, d *appsv1.Deployment) (revision, error) {
	sets, err := List[appsv1.ReplicaSet](ctx, s, replicaSetResource, d.Namespace, metav1.ListOptions{LabelSelector: metav1.FormatLabelSelector(d.Spec.Selector)})
	if err != nil {
		return revision{}, err
	}
	newest, highest := revision{}, -1
	for i := range sets {
		number, err := strconv.Atoi(sets[i].Annotations["deployment.kubernetes.io/revision"])
		if err == nil && number > highest && metav1.IsControlledBy(&sets[i], d) {
			highest = number
			newest = revision{label: appsv1.DefaultDeploymentUniqueLabelKey, value: sets[i].Labels[appsv1.DefaultDeploymentUniqueLabelKey]}
		}
	}
	return newest, nil
}

// ObserveWorkloads reads several workloads. It also records for how long each Pod has shown the
// same fault, and whether the fault is old. images maps an image's name to its recorded digests
// (health.Spec). If it is empty, the Pods of a workload that is rolled out are not read.
func ObserveWorkloads(
	ctx context.Context, s *APIServer, refs []WorkloadRef, images map[string][]string, seen *observe.Stable,
) ([]WorkloadFacts, error) {
	var all []WorkloadFacts
	for _, ref := range refs {
		facts, err := observeWorkload(ctx, s, ref)
		if err != nil {
			return nil, err
		}
		facts.times(seen)
		if len(images) > 0 {
			if err := facts.readImages(ctx, s, images, seen); err != nil {
				return nil, err
			}
		}
		all = append(all, facts)
	}
	return all, nil
}

// times sets for how long each Pod has shown the same fault, and whether a container's last failure
// was long before the first observation.
func (w *WorkloadFacts) times(seen *observe.Stable) {
	for i := range w.Pods {
		pod := &w.Pods[i]
		subject := "pod " + w.Namespace + "/" + pod.Name
		pod.Seconds = seen.Seconds(subject, pod.shows())
		for j := range pod.Containers {
			container := &pod.Containers[j]
			container.Old = !container.failed.IsZero() && seen.Old(subject+" "+container.Name, container.failed)
		}
	}
}

// shows returns a text that is the same as long as a Pod has the same fault.
func (p podFacts) shows() string {
	text := p.Scheduled.Status + p.Scheduled.Message
	for _, c := range p.Containers {
		reason := c.Reason
		if reason == pullBackOff {
			reason = errPull
		}
		text += "\n" + c.Name + reason
	}
	return text
}

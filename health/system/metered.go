package system

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health"
	"strata/health/host"
	"strata/health/kube"
)

// nodeMetricsResource has an object for each Node that metrics-server has measured.
var nodeMetricsResource = schema.GroupVersionResource{Group: "metrics.k8s.io", Version: "v1beta1",
	Resource: "nodes"}

// metricsPods selects the Pods of K3s's metrics-server.
const metricsPods = "k8s-app=metrics-server"

// measuredAfter is the time after which a Ready Node must have metrics from a Ready metrics-server:
// four of the intervals at which K3s's metrics-server reads from kubelets (15 s; two are needed),
// plus the clock skew that the host gate allows.
const measuredAfter = 4*15*time.Second + host.MaxClockSkew

// observeMeasured adds to the facts the Nodes whose metrics are due but missing. It adds none if
// the user may not read metrics, or while every Pod of metrics-server has just started and so has
// no metrics yet.
func observeMeasured(
	ctx context.Context, s *kube.APIServer, now time.Time, facts *apiServiceFacts,
) error {
	before := now.Add(-measuredAfter)
	pods, err := kube.List[corev1.Pod](ctx, s, kube.PodResource, dnsNamespace,
		metav1.ListOptions{LabelSelector: metricsPods})
	if err != nil || !slices.ContainsFunc(pods,
		func(pod corev1.Pod) bool { return podReadySince(pod, before) }) {
		return err
	}
	nodes, err := kube.List[corev1.Node](ctx, s, kube.NodeResource, "", metav1.ListOptions{})
	if err != nil {
		return err
	}
	measured, err := kube.List[metav1.PartialObjectMetadata](ctx, s, nodeMetricsResource, "",
		metav1.ListOptions{})
	switch {
	case apierrors.IsForbidden(err):
		return nil
	case err != nil:
		facts.Refused = health.OneLine(err.Error())
		return nil
	}
	for _, node := range nodes {
		isMeasured := slices.ContainsFunc(measured,
			func(m metav1.PartialObjectMetadata) bool { return m.Name == node.Name })
		if !isMeasured && nodeReadySince(node, before) {
			facts.Unmeasured = append(facts.Unmeasured, node.Name)
		}
	}
	return nil
}

func podReadySince(pod corev1.Pod, before time.Time) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue &&
			c.LastTransitionTime.Time.Before(before)
	})
}

func nodeReadySince(node corev1.Node, before time.Time) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue &&
			c.LastTransitionTime.Time.Before(before)
	})
}

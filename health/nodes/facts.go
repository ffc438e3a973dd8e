package nodes

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"strata/health/kube"
	"strata/internal/kube/apiserver"
)

// factsOfNode takes the facts for a verdict out of a Node.
func factsOfNode(node *corev1.Node, set apiserver.NodeSettings) nodeFacts {
	facts := nodeFacts{Name: node.Name, Cordoned: node.Spec.Unschedulable,
		Deleting: node.DeletionTimestamp != nil}
	facts.PodCIDR, facts.Lacking = node.Spec.PodCIDR, set.FindMissing(node)
	_, facts.Server = node.Labels[controlPlaneLabel]
	for _, address := range node.Status.Addresses {
		// The cluster uses the first; a second one belongs to the other IP family.
		if address.Type == corev1.NodeInternalIP && facts.InternalIP == "" {
			facts.InternalIP = address.Address
		}
	}
	for _, c := range node.Status.Conditions {
		one := kube.Condition{Type: string(c.Type), Status: string(c.Status), Reason: c.Reason,
			Message: c.Message}
		switch {
		case c.Type == corev1.NodeReady:
			facts.Ready = one
		case c.Status == corev1.ConditionTrue:
			facts.Trouble = append(facts.Trouble, one)
		}
	}
	for _, taint := range node.Spec.Taints {
		if slices.Contains(startupTaints, taint.Key) {
			facts.Startup = append(facts.Startup, taint.Key)
		}
	}
	return facts
}

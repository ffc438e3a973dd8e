package apiserver

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// OneNode lists and watches one Node.
func OneNode(client kubernetes.Interface, name string) cache.ListerWatcher {
	only := fields.OneTermEqualSelector(metav1.ObjectNameField, name).String()
	return NewListWatch(client, client.CoreV1().Nodes(), metav1.ListOptions{FieldSelector: only})
}

// ReadyOf returns a Node's condition Ready; Unknown if it has none.
func ReadyOf(node *corev1.Node) corev1.NodeCondition {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition
		}
	}
	return corev1.NodeCondition{Reason: "Unknown", Message: "it has no condition Ready"}
}

// Ready reports whether a Node is Ready.
func Ready(node *corev1.Node) bool { return ReadyOf(node).Status == corev1.ConditionTrue }

// InternalIP returns the first of a Node's internal addresses; empty where it has none.
func InternalIP(node *corev1.Node) string {
	for _, address := range node.Status.Addresses {
		if address.Type == corev1.NodeInternalIP {
			return address.Address
		}
	}
	return ""
}

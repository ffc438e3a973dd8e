package canary

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/kube/apiserver"
)

// byService and byRoute match the label of a route's backend Service in Traefik's metrics (traefik
// pkg/provider/kubernetes/gateway/httproute.go, loadService).
var (
	// byService matches the form of Traefik up to 3.7.5: namespace-service-http-port, normalized.
	byService = regexp.MustCompile(`^(.+)-http-\d+@kubernetesgateway$`)
	// byRoute matches the form since 3.7.6: a router's name, which ends with ten bytes of a digest
	// in hex, then -svc-namespace-service- and the index of the backend in its rule. The part after
	// the digest is not normalized.
	byRoute = regexp.MustCompile(`-[0-9a-f]{20}-svc-(.+)-\d+@kubernetesgateway$`)
)

// bothForms describes the label forms of both Traefik versions, for messages.
const bothForms = "NAMESPACE-SERVICE-http-PORT@kubernetesgateway (Traefik up to 3.7.5) or " +
	"ROUTER-svc-NAMESPACE-SERVICE-INDEX@kubernetesgateway (since 3.7.6)"

// labelsShown is the largest number of labels in a message.
const labelsShown = 3

// normalizeName works like Traefik's provider.Normalize: it replaces each run of characters other
// than letters and digits with a dash.
func normalizeName(name string) string {
	return strings.Join(strings.FieldsFunc(name,
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }), "-")
}

// ofService reports whether a metric's label belongs to a Service. It compares the whole name, so
// that a Service whose name only has the same beginning or end does not match.
func ofService(label, namespace, service string) bool {
	name := namespace + "-" + service
	if m := byRoute.FindStringSubmatch(label); m != nil && m[1] == name {
		return true
	}
	m := byService.FindStringSubmatch(label)
	return m != nil && m[1] == normalizeName(name)
}

// unread describes the metric labels of an ingress controller's Pod if no label has a known form,
// because its answers would then not be counted; otherwise it returns "". Traefik's internal
// services (@internal) are ignored, because their names have no such form.
func unread(pod corev1.Pod, metrics Metrics, labels []string) string {
	labels = slices.DeleteFunc(labels, func(label string) bool {
		return strings.HasSuffix(label,
			"@internal")
	})
	known := func(label string) bool {
		return byService.MatchString(label) ||
			byRoute.MatchString(label)
	}
	if metrics.ByPod || len(labels) == 0 || slices.ContainsFunc(labels, known) {
		return ""
	}
	image := "no container"
	if len(pod.Spec.Containers) > 0 {
		image = pod.Spec.Containers[0].Image
	}
	return fmt.Sprintf("Pod %s/%s (%s) counts by %s %q", pod.Namespace, pod.Name, image,
		metrics.Label, labels[:min(labelsShown, len(labels))])
}

// Distinct implements world. Traefik joins names with dashes, so Service b-c in namespace a and
// Service c in namespace a-b have the same label.
func (c *cluster) Distinct(ctx context.Context) error {
	if !slices.ContainsFunc(c.spec.Metrics, func(m Metrics) bool { return !m.ByPod }) {
		return nil
	}
	all, err := apiserver.List(ctx, c.client.CoreV1().Services(metav1.NamespaceAll),
		metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("Services: %w", err)
	}
	slices.SortFunc(all.Items, func(a, b corev1.Service) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	for _, other := range all.Items {
		ours := other.Namespace == c.spec.Namespace && other.Name == c.spec.Canary
		if !ours && normalizeName(other.Namespace+"-"+other.Name) == normalizeName(c.spec.Namespace+"-"+
			c.spec.Canary) {
			return fmt.Errorf("canary %s/%s: its answers cannot be told from those of Service "+
				"%s/%s: the ingress controller's metrics have one name "+
				"for both, %s; rename the workload, or the other Service", c.spec.Namespace,
				c.spec.Canary, other.Namespace, other.Name,
				normalizeName(c.spec.Namespace+"-"+c.spec.Canary))
		}
	}
	return nil
}

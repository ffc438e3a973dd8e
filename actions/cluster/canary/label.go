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

// The names that Traefik gives to the Service of a route's backend, and uses in its metrics
// (traefik pkg/provider/kubernetes/gateway/httproute.go, loadService).
var (
	// byService matches the form up to 3.7.5: namespace-service-http-port, normalised.
	byService = regexp.MustCompile(`^(.+)-http-\d+@kubernetesgateway$`)
	// byRoute matches the form since 3.7.6: a router's name, which ends with ten bytes of a digest,
	// -svc-namespace-service-, and the backend's place in its rule. The part after the digest is
	// not normalised.
	byRoute = regexp.MustCompile(`-[0-9a-f]{20}-svc-(.+)-\d+@kubernetesgateway$`)
)

// bothForms describes both forms in messages.
const bothForms = "NAMESPACE-SERVICE-http-PORT@kubernetesgateway (Traefik up to 3.7.5) or " +
	"ROUTER-svc-NAMESPACE-SERVICE-INDEX@kubernetesgateway (since 3.7.6)"

// labelsShown bounds the labels of a Pod that go into a message.
const labelsShown = 3

// normalizeName does as Traefik's provider.Normalize: characters that are neither letter nor digit
// become one dash.
func normalizeName(name string) string {
	return strings.Join(strings.FieldsFunc(name,
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }), "-")
}

// ofService reports whether a label belongs to a Service. The Service's whole name must stand
// between the parts that Traefik adds.
func ofService(label, namespace, service string) bool {
	name := namespace + "-" + service
	if m := byRoute.FindStringSubmatch(label); m != nil && m[1] == name {
		return true
	}
	m := byService.FindStringSubmatch(label)
	return m != nil && m[1] == normalizeName(name)
}

// unread returns a Pod's labels if none has a known form. In that case no answer would be counted,
// however many came. Traefik's own services (@internal) prove nothing about the form.
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

// Distinct implements world. Traefik joins names by dashes, so Service b-c of namespace a and
// Service c of namespace a-b get the same label.
func (c *cluster) Distinct(ctx context.Context) error {
	if !slices.ContainsFunc(c.spec.Metrics, func(m Metrics) bool { return !m.ByPod }) {
		return nil
	}
	var all []corev1.Service
	err := apiserver.Insist(ctx, func(ctx context.Context) error {
		list, err := c.client.CoreV1().Services(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
		if err == nil {
			all = list.Items
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("Services: %w", err)
	}
	slices.SortFunc(all, func(a, b corev1.Service) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	for _, other := range all {
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

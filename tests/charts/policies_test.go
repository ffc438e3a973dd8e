package charts_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"strata/health/webhook"
)

// everyone is a client outside all namespaces: a node, or a client outside the cluster.
const everyone = ""

// closed has ports that are not open to everyone, and the namespace whose Pods may reach them.
var closed = []struct {
	namespace, workload string
	port                int32
	from                string
}{
	{"argocd", "argocd-redis", 6379, "argocd"},
	{"argocd", "argocd-repo-server", 8081, "argocd"},
	{"apisix", "apisix", 9180, ""}, // only Pods with the controller's labels
	{"vault", "vault", 8200, "cert-manager"},
}

func TestNetworkPoliciesAdmitOnlyServedPorts(t *testing.T) {
	seen := map[string]bool{}
	for _, platform := range platforms {
		t.Run(platform.name, func(t *testing.T) {
			w := newWorld(t, newProgram(t, platform.keys))
			policies := policiesOf(w.own)
			require.NotEmpty(t, policies)
			for _, served := range w.forEveryone() {
				assert.True(t, policies.admit(served.pod, everyone, served.port),
					"%s is not reached", served.what)
			}
			for _, one := range closed {
				pod, there := w.pod(one.namespace, one.workload)
				if !there {
					continue
				}
				seen[one.workload] = true
				for _, from := range []string{everyone, "team-a", "default"} {
					assert.False(t, policies.admit(pod, from, one.port), "%s:%d from %q",
						one.workload, one.port, from)
				}
				assert.True(t, one.from == "" ||
					policies.admit(pod, one.from, one.port), "%s:%d from %s", one.workload,
					one.port, one.from)
			}
		})
	}
	assert.Len(t, seen, len(closed), "all of them were looked at: %v", seen)
}

// Each Pod needs a policy, because a Pod that no policy selects accepts connections from everyone.
func TestPoliciesSelectEachPodOfLayers(t *testing.T) {
	for _, platform := range platforms {
		t.Run(platform.name, func(t *testing.T) {
			w := newWorld(t, newProgram(t, platform.keys))
			policies := policiesOf(w.own)
			for _, one := range w.charts {
				if !slices.Contains(workloadKinds, one.Kind) ||
					as[pods](one).Spec.Template.Spec.HostNetwork {
					continue
				}
				pod := podOf(one)
				assert.True(t, slices.ContainsFunc(policies,
					func(p networkingv1.NetworkPolicy) bool {
						return p.Namespace == pod.Namespace &&
							selects(&p.Spec.PodSelector, pod.Labels)
					}),
					"no policy selects %s %s/%s", one.Kind, one.Namespace, one.Name)
			}
		})
	}
}

type networkPolicies []networkingv1.NetworkPolicy

func policiesOf(objects []object) (found networkPolicies) {
	for _, one := range objects {
		if one.Kind == "NetworkPolicy" {
			found = append(found, as[networkingv1.NetworkPolicy](one))
		}
	}
	return found
}

// admit reports whether Pods of a namespace, or everyone, may connect to a TCP port.
func (all networkPolicies) admit(pod corev1.Pod, from string, port int32) bool {
	isolated := false
	for _, policy := range all {
		if policy.Namespace != pod.Namespace || !selects(&policy.Spec.PodSelector, pod.Labels) {
			continue
		}
		isolated = true
		if slices.ContainsFunc(policy.Spec.Ingress,
			func(rule networkingv1.NetworkPolicyIngressRule) bool {
				return isFrom(rule, from) && isTo(rule, port)
			}) {
			return true
		}
	}
	return !isolated
}

func isFrom(rule networkingv1.NetworkPolicyIngressRule, from string) bool {
	return len(rule.From) == 0 || slices.ContainsFunc(rule.From,
		func(peer networkingv1.NetworkPolicyPeer) bool {
			if peer.PodSelector != nil {
				return false // a rule for Pods with certain labels only
			}
			namespace := labels.Set{corev1.LabelMetadataName: from}
			selector, err := metav1.LabelSelectorAsSelector(peer.NamespaceSelector)
			return err == nil && from != everyone && selector.Matches(namespace)
		})
}

func isTo(rule networkingv1.NetworkPolicyIngressRule, port int32) bool {
	return len(rule.Ports) == 0 || slices.ContainsFunc(rule.Ports,
		func(open networkingv1.NetworkPolicyPort) bool {
			return open.Port.IntVal == port && *open.Protocol == corev1.ProtocolTCP
		})
}

func podOf(workload object) corev1.Pod {
	pod := corev1.Pod{ObjectMeta: as[pods](workload).Spec.Template.ObjectMeta,
		Spec: as[pods](workload).Spec.Template.Spec}
	pod.Namespace = workload.Namespace
	return pod
}

// pod returns a Pod of a workload, and whether the workload exists.
func (w *world) pod(namespace, name string) (corev1.Pod, bool) {
	i := slices.IndexFunc(w.charts, func(o object) bool {
		return slices.Contains(workloadKinds, o.Kind) && o.Namespace == namespace && o.Name == name
	})
	if i < 0 {
		return corev1.Pod{}, false
	}
	return podOf(w.charts[i]), true
}

// metricsName matches the name of a container's port for metrics.
var metricsName = regexp.MustCompile("metrics|monitoring|prometheus")

// servedPort is a port of a Pod that must be open to everyone.
type servedPort struct {
	what string
	pod  corev1.Pod
	port int32
}

// forEveryone returns the ports that must be open to everyone: those behind load balancers,
// webhooks and Argo CD's server, and ports for metrics.
func (w *world) forEveryone() (found []servedPort) {
	asked := []string{"argocd/argocd-server"}
	for _, gate := range w.gates {
		if body, ok := gate.Body.(webhook.Spec); ok {
			asked = append(asked, body.Namespace+"/"+body.Service)
		}
	}
	for _, one := range w.charts {
		switch {
		case one.Kind == "Service":
			service := as[corev1.Service](one)
			if service.Spec.Type == corev1.ServiceTypeLoadBalancer ||
				slices.Contains(asked, one.Namespace+"/"+one.Name) {
				found = append(found, w.behind(service)...)
			}
		case slices.Contains(workloadKinds, one.Kind):
			pod := podOf(one)
			for _, container := range pod.Spec.Containers {
				for _, port := range container.Ports {
					if metricsName.MatchString(port.Name) {
						what := fmt.Sprintf("port %s of %s/%s", port.Name, one.Namespace, one.Name)
						found = append(found, servedPort{what, pod, port.ContainerPort})
					}
				}
			}
		}
	}
	return found
}

// behind returns the ports of Pods to which a Service forwards.
func (w *world) behind(service corev1.Service) (found []servedPort) {
	for _, one := range w.charts {
		if !slices.Contains(workloadKinds, one.Kind) || one.Namespace != service.Namespace {
			continue
		}
		pod := podOf(one)
		if !labels.SelectorFromSet(service.Spec.Selector).Matches(labels.Set(pod.Labels)) {
			continue
		}
		for _, port := range service.Spec.Ports {
			for _, container := range pod.Spec.Containers {
				for _, listening := range container.Ports {
					target := port.TargetPort
					if listening.ContainerPort == target.IntVal || target.StrVal != "" &&
						target.StrVal == listening.Name {
						what := fmt.Sprintf("%s/%s behind Service %s:%d", one.Namespace, one.Name,
							service.Name, port.Port)
						found = append(found, servedPort{what, pod, listening.ContainerPort})
					}
				}
			}
		}
	}
	return found
}

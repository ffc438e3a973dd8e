package charts_test

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// workloadKinds are the kinds that have Pods.
var workloadKinds = []string{"Deployment", "DaemonSet", "StatefulSet"}

// service checks that a chart makes a Service with these ports, and that a workload listens on the
// target of each port.
func (w *world) service(who, namespace, name string, loadBalancer bool, ports ...int) {
	found, ok := find(w.all(), "Service", namespace, name)
	if !ok {
		w.need(false, "%s: no chart makes Service %s/%s", who, namespace, name)
		return
	}
	service := as[corev1.Service](found)
	w.need(!loadBalancer ||
		service.Spec.Type == corev1.ServiceTypeLoadBalancer, "%s: Service %s/%s is of type %q", who,
		namespace, name, service.Spec.Type)
	for _, port := range ports {
		i := slices.IndexFunc(service.Spec.Ports,
			func(p corev1.ServicePort) bool { return int(p.Port) == port })
		w.need(i >= 0, "%s: Service %s/%s has no port %d", who, namespace, name, port)
		w.need(i < 0 || w.backed(namespace, service.Spec, i),
			"%s: nothing listens behind port %d of Service %s/%s", who, port, namespace, name)
	}
}

// backed reports whether a workload has the labels that a Service selects, and listens on the
// target of its i-th port.
func (w *world) backed(namespace string, service corev1.ServiceSpec, i int) bool {
	target := service.Ports[i].TargetPort
	number := target.IntValue()
	if target.String() == "0" { // without a target port, the port itself is the target
		number = int(service.Ports[i].Port)
	}
	return slices.ContainsFunc(w.all(), func(o object) bool {
		if o.Namespace != namespace || !slices.Contains(workloadKinds, o.Kind) ||
			len(service.Selector) == 0 {
			return false
		}
		workload := as[pods](o)
		return labels.SelectorFromSet(service.Selector).Matches(
			labels.Set(workload.Spec.Template.Labels)) &&
			listens(workload, number, target.StrVal)
	})
}

// anyListens reports whether a workload of a namespace listens on a port.
func (w *world) anyListens(namespace string, port int) bool {
	return slices.ContainsFunc(w.charts, func(o object) bool {
		return o.Namespace == namespace && slices.Contains(workloadKinds, o.Kind) &&
			listens(as[pods](o), port, "")
	})
}

// anyServes reports whether a load balancer of a namespace has a port. Gateways of APISIX have the
// ports of its Service.
func (w *world) anyServes(namespace string, port int) bool {
	return slices.ContainsFunc(w.charts, func(o object) bool {
		return o.Namespace == namespace && o.Kind == "Service" &&
			slices.ContainsFunc(as[corev1.Service](o).Spec.Ports, func(p corev1.ServicePort) bool {
				return int(p.Port) == port &&
					as[corev1.Service](o).Spec.Type == corev1.ServiceTypeLoadBalancer
			})
	})
}

// listens reports whether a container has a port with a number or a name.
func listens(workload pods, number int, name string) bool {
	for _, container := range workload.Spec.Template.Spec.Containers {
		for _, port := range container.Ports {
			if int(port.ContainerPort) == number || name != "" && port.Name == name {
				return true
			}
		}
	}
	return false
}

// workload checks that a chart's workload selects its own Pods, spreads them by their labels, and
// needs only existing Secrets.
func (w *world) workload(o object) {
	if !slices.Contains(workloadKinds, o.Kind) {
		return
	}
	who, workload := o.Kind+" "+o.Namespace+"/"+o.Name, as[pods](o)
	template := workload.Spec.Template
	w.need(selects(&workload.Spec.Selector, template.Labels),
		"%s: does not select its own Pods", who)
	for _, spread := range template.Spec.TopologySpreadConstraints {
		w.need(selects(spread.LabelSelector, template.Labels),
			"%s: spreads Pods that are not its own", who)
	}
	for _, secret := range secretsOf(template.Spec) {
		w.secret(who, o.Namespace, secret)
	}
}

func selects(selector *metav1.LabelSelector, have map[string]string) bool {
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && !parsed.Empty() && parsed.Matches(labels.Set(have))
}

// hinted are workloads whose Pods Strata's messages tell a user to find by labels.
var hinted = []struct{ namespace, name string }{{"argocd", "argocd-repo-server"},
	{"vault", "vault"}}

// hints checks that the labels in Strata's messages select Pods, if the chart is installed.
func (w *world) hints() {
	for _, one := range hinted {
		selector := &metav1.LabelSelector{
			MatchLabels: map[string]string{"app.kubernetes.io/name": one.name}}
		there := func(o object) bool {
			return o.Namespace == one.namespace &&
				slices.Contains(workloadKinds, o.Kind)
		}
		w.need(!slices.ContainsFunc(w.charts, there) ||
			slices.ContainsFunc(w.charts, func(o object) bool {
				return there(o) && selects(selector, as[pods](o).Spec.Template.Labels)
			}), "messages: no Pod in %s has the name label %s", one.namespace, one.name)
	}
}

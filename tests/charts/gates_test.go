package charts_test

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"strata/health"
	"strata/health/address"
	"strata/health/api"
	"strata/health/applications"
	"strata/health/certificate"
	"strata/health/claim"
	"strata/health/crds"
	"strata/health/gateway"
	"strata/health/host"
	"strata/health/http"
	"strata/health/issuer"
	"strata/health/metrics"
	"strata/health/nodes"
	"strata/health/pool"
	"strata/health/rollout"
	"strata/health/server"
	"strata/health/system"
	"strata/health/upstreams"
	"strata/health/vault"
	"strata/health/webhook"
)

// beforeCharts are the kinds of gates that observe no object of a chart.
var beforeCharts = []health.Kind{host.Kind, server.Kind, api.Kind, nodes.Kind, system.Kind}

// gate checks that each object that a gate observes will exist, under the name in the gate's spec.
func (w *world) gate(spec health.Spec) {
	w.rights(spec)
	switch body := spec.Body.(type) {
	case webhook.Spec:
		w.webhook(spec.Gate, body)
	case rollout.Spec:
		w.workloads(spec.Gate, body.Workloads)
		if redis := body.Redis; redis != nil {
			w.redis(spec.Gate, *redis)
		}
	case claim.Spec:
		w.claim(spec.Gate, body)
	case vault.Spec:
		w.vault(spec.Gate, body)
	case address.Spec:
		w.service(spec.Gate, body.Namespace, body.Service, true, body.Ports...)
	case http.Spec:
		w.http(spec.Gate, body)
	case gateway.Spec:
		w.gateway(spec.Gate, body)
	case crds.Spec:
		w.need(len(body.Names) > 0, "gate %s: names no definition", spec.Gate)
		for _, name := range body.Names {
			w.need(w.defines(name), "gate %s: no definition %s", spec.Gate, name)
		}
	case pool.Spec:
		w.registered(spec.Gate, "IPAddressPool", body.Namespace, body.Name)
	case issuer.Spec:
		w.registered(spec.Gate, map[bool]string{true: "ClusterIssuer",
			false: "Issuer"}[body.Namespace == ""], body.Namespace, body.Name)
	case certificate.Spec:
		w.registered(spec.Gate, "Certificate", body.Namespace, body.Name)
		w.secret("gate "+spec.Gate, body.Namespace, body.Secret)
	case metrics.Spec:
		w.service(spec.Gate, body.Namespace, body.Service, false, body.Port)
	case upstreams.Spec:
		w.upstreams(spec.Gate, body)
	case applications.Spec:
		for _, name := range body.Names {
			w.registered(spec.Gate, "Application", body.Namespace, name)
		}
	default:
		w.need(slices.Contains(beforeCharts, spec.Kind()),
			"gate %s: say here what a gate of kind %s relies on", spec.Gate, spec.Kind())
	}
}

// upstreams checks that a workload with the labels of the data plane listens on the gate's port,
// and that its controller and routes exist.
func (w *world) upstreams(gate string, spec upstreams.Spec) {
	w.workloads(gate, []string{spec.Controller})
	selector, err := labels.Parse(spec.Selector)
	w.need(err == nil && slices.ContainsFunc(w.charts, func(o object) bool {
		if o.Namespace != spec.Namespace || !slices.Contains(workloadKinds, o.Kind) {
			return false
		}
		workload := as[pods](o)
		return selector.Matches(labels.Set(workload.Spec.Template.Labels)) &&
			listens(workload, spec.Port, "")
	}), "gate %s: no workload in %s with %s listens on %d", gate, spec.Namespace, spec.Selector,
		spec.Port)
	for _, route := range spec.Routes {
		w.registered(gate, route.Kind, route.Namespace, route.Name)
	}
}

// registered checks that the program itself registers an object.
func (w *world) registered(gate, kind, namespace, name string) {
	_, ok := find(w.own, kind, namespace, name)
	w.need(ok, "gate %s: the program registers no %s %s/%s", gate, kind, namespace, name)
}

func (w *world) workloads(gate string, all []string) {
	for _, one := range all {
		parts := strings.Split(one, "/")
		_, ok := find(w.all(), parts[1], parts[0], parts[2])
		w.need(ok, "gate %s: no chart makes %s", gate, one)
	}
}

// vault checks that the gate's Pod is the first one of its StatefulSet and listens on the gate's
// port.
func (w *world) vault(gate string, spec vault.Spec) {
	w.workloads(gate, []string{spec.Workload})
	set, ok := find(w.charts, "StatefulSet", spec.Namespace, strings.TrimSuffix(spec.Pod, "-0"))
	w.need(ok, "gate %s: no StatefulSet makes Pod %s/%s", gate, spec.Namespace, spec.Pod)
	w.need(!ok || listens(as[pods](set), spec.Port, ""),
		"gate %s: Pod %s does not listen on %d", gate,
		spec.Pod, spec.Port)
	if ok {
		w.stored(gate, set)
	}
}

// storagePath matches the storage path in Vault's configuration.
var storagePath = regexp.MustCompile(`storage "[a-z]+" \{\s*path\s*=\s*"([^"]+)"`)

// stored checks that a volume is mounted at Vault's storage path. The image lacks that folder, and
// Vault's user may not create it.
func (w *world) stored(gate string, set object) {
	paths := 0
	for _, o := range w.charts {
		if o.Kind != "ConfigMap" || o.Namespace != set.Namespace {
			continue
		}
		for _, text := range as[corev1.ConfigMap](o).Data {
			for _, found := range storagePath.FindAllStringSubmatch(text, -1) {
				paths++
				container := as[appsv1.StatefulSet](set).Spec.Template.Spec.Containers[0]
				w.need(slices.ContainsFunc(container.VolumeMounts, func(m corev1.VolumeMount) bool {
					return m.MountPath == found[1] && !m.ReadOnly
				}),
					"gate %s: nothing is mounted at %s, where Vault keeps its data", gate, found[1])
			}
		}
	}
	w.need(paths > 0, "gate %s: Vault's configuration names no storage", gate)
}

// claim checks that a StatefulSet makes the gate's claim for its first Pod. The claim's name
// consists of the template's name, the set's name and the Pod's number.
func (w *world) claim(gate string, spec claim.Spec) {
	for _, o := range w.charts {
		if o.Kind != "StatefulSet" || o.Namespace != spec.Namespace {
			continue
		}
		for _, template := range as[appsv1.StatefulSet](o).Spec.VolumeClaimTemplates {
			if template.Name+"-"+o.Name+"-0" == spec.Name {
				return
			}
		}
	}
	w.need(false, "gate %s: no StatefulSet makes PersistentVolumeClaim %s/%s", gate, spec.Namespace,
		spec.Name)
}

func (w *world) http(gate string, spec http.Spec) {
	for _, probe := range spec.Probes {
		w.service(gate, spec.Namespace, spec.Service, true, portOf(probe.URL))
	}
	if namespace, name, named := strings.Cut(spec.CASecret, "/"); named {
		w.secret("gate "+gate, namespace, name)
	}
}

// portOf returns a URL's port, or the default of its scheme.
func portOf(text string) int {
	target, err := url.Parse(text)
	if err != nil {
		return 0
	}
	if port, err := strconv.Atoi(target.Port()); err == nil {
		return port
	}
	return map[string]int{"http": 80, "https": 443}[target.Scheme]
}

// gateway checks that the Gateway's class exists, and that a workload listens on the port of each
// of its listeners. Listeners of Traefik have the port of a container, those of APISIX also that of
// a Service.
func (w *world) gateway(gate string, spec gateway.Spec) {
	class, ok := find(w.all(), "GatewayClass", "", spec.Class)
	w.need(ok, "gate %s: no chart makes GatewayClass %s", gate, spec.Class)
	own, ok := find(w.own, "Gateway", spec.Namespace, spec.Name)
	if !ok {
		w.registered(gate, "Gateway", spec.Namespace, spec.Name)
		return
	}
	listeners := as[gatewayObject](own).Spec.Listeners
	for _, name := range spec.Listeners {
		i := slices.IndexFunc(listeners, func(l listener) bool { return l.Name == name })
		w.need(i >= 0, "gate %s: the Gateway has no listener %s", gate, name)
		w.need(i < 0 || w.anyListens(spec.Namespace, listeners[i].Port) || ours(class) &&
			w.anyServes(spec.Namespace, listeners[i].Port),
			"gate %s: nothing listens for listener %s", gate, name)
	}
}

// ours reports whether a GatewayClass is the program's own, and not that of Traefik's chart.
func ours(class object) bool { return class.from == "" || !strings.Contains(class.from, "traefik") }

// defines reports whether a CRD with this name exists.
func (w *world) defines(name string) bool {
	for _, one := range w.definitions {
		if one.Name == name {
			return true
		}
	}
	return false
}

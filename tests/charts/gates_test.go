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
)

// beforeCharts are the kinds of gates that observe no object of a chart.
var beforeCharts = []health.Kind{health.KindHost, health.KindServer, health.KindAPI, health.KindNodes,
	health.KindSystem}

// gate checks that the observed objects of a gate will exist under the gate's names for them.
func (w *world) gate(spec health.Spec) {
	w.rights(spec)
	switch spec.Kind {
	case health.KindWebhook:
		w.webhook(spec.Gate, *spec.Webhook)
	case health.KindRollout:
		w.workloads(spec.Gate, spec.Rollout.Workloads)
		if redis := spec.Rollout.Redis; redis != nil {
			w.redis(spec.Gate, *redis)
		}
	case health.KindClaim:
		w.claim(spec.Gate, *spec.Claim)
	case health.KindVault:
		w.vault(spec.Gate, *spec.Vault)
	case health.KindAddress:
		w.service(spec.Gate, spec.Address.Namespace, spec.Address.Service, true, spec.Address.Ports...)
	case health.KindHTTP:
		w.http(spec.Gate, *spec.HTTP)
	case health.KindGateway:
		w.gateway(spec.Gate, *spec.Gateway)
	case health.KindCRDs:
		w.need(len(spec.CRDs.Names) > 0, "gate %s: names no definition", spec.Gate)
		for _, name := range spec.CRDs.Names {
			w.need(w.defines(name), "gate %s: no definition %s", spec.Gate, name)
		}
	case health.KindPool:
		w.registered(spec.Gate, "IPAddressPool", spec.Pool.Namespace, spec.Pool.Name)
	case health.KindIssuer:
		w.registered(spec.Gate,
			map[bool]string{true: "ClusterIssuer", false: "Issuer"}[spec.Issuer.Namespace == ""],
			spec.Issuer.Namespace, spec.Issuer.Name)
	case health.KindCertificate:
		w.registered(spec.Gate, "Certificate", spec.Certificate.Namespace, spec.Certificate.Name)
		w.secret("gate "+spec.Gate, spec.Certificate.Namespace, spec.Certificate.Secret)
	case health.KindMetrics:
		w.service(spec.Gate, spec.Metrics.Namespace, spec.Metrics.Service, false, spec.Metrics.Port)
	case health.KindUpstreams:
		w.upstreams(spec.Gate, *spec.Upstreams)
	case health.KindApplications:
		for _, name := range spec.Applications.Names {
			w.registered(spec.Gate, "Application", spec.Applications.Namespace, name)
		}
	default:
		w.need(slices.Contains(beforeCharts, spec.Kind),
			"gate %s: say here what a gate of kind %s relies on", spec.Gate, spec.Kind)
	}
}

// upstreams checks that a data plane with the labels listens on the gate's port, and that its
// controller and the routes exist.
func (w *world) upstreams(gate string, spec health.UpstreamsSpec) {
	w.workloads(gate, []string{spec.Controller})
	selector, err := labels.Parse(spec.Selector)
	w.need(err == nil && slices.ContainsFunc(w.charts, func(o object) bool {
		if o.Namespace != spec.Namespace || !slices.Contains(workloadKinds, o.Kind) {
			return false
		}
		workload := as[pods](o)
		return selector.Matches(labels.Set(workload.Spec.Template.Labels)) && listens(workload, spec.Port, "")
	}), "gate %s: no workload in %s with %s listens on %d", gate, spec.Namespace, spec.Selector, spec.Port)
	for _, route := range spec.Routes {
		w.registered(gate, route.Kind, route.Namespace, route.Name)
	}
}

// registered checks that the program itself makes an object.
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

// vault checks that the gate's Pod is the workload's first, and listens on the gate's port.
func (w *world) vault(gate string, spec health.VaultSpec) {
	w.workloads(gate, []string{spec.Workload})
	set, ok := find(w.charts, "StatefulSet", spec.Namespace, strings.TrimSuffix(spec.Pod, "-0"))
	w.need(ok, "gate %s: no StatefulSet makes Pod %s/%s", gate, spec.Namespace, spec.Pod)
	w.need(!ok || listens(as[pods](set), spec.Port, ""), "gate %s: Pod %s does not listen on %d", gate,
		spec.Pod, spec.Port)
	if ok {
		w.stored(gate, set)
	}
}

// storagePath finds the storage path in Vault's configuration.
var storagePath = regexp.MustCompile(`storage "[a-z]+" \{\s*path\s*=\s*"([^"]+)"`)

// stored checks that a volume is mounted at Vault's storage path: its image has no such folder, and
// its user may make none.
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

// claim checks that a StatefulSet's first Pod has the claim, whose name consists of the template's,
// the set's and the Pod's number.
func (w *world) claim(gate string, spec health.ClaimSpec) {
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
	w.need(false, "gate %s: no StatefulSet makes PersistentVolumeClaim %s/%s", gate, spec.Namespace, spec.Name)
}

func (w *world) http(gate string, spec health.HTTPSpec) {
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

// gateway checks the Gateway's class, which a chart makes, and that a workload listens behind each
// of its listeners: Traefik identifies an entry point by its container's port.
func (w *world) gateway(gate string, spec health.GatewaySpec) {
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
			w.anyServes(spec.Namespace, listeners[i].Port), "gate %s: nothing listens for listener %s", gate, name)
	}
}

// ours reports whether the program makes a class itself: Traefik's is its chart's, and its ports
// are the containers'.
func ours(class object) bool { return class.from == "" || !strings.Contains(class.from, "traefik") }

// defines reports whether a definition with this name exists.
func (w *world) defines(name string) bool {
	for _, one := range w.definitions {
		if one.Name == name {
			return true
		}
	}
	return false
}

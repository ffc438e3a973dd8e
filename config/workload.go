package config

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Workload is one HTTP application that loses no request when it is replaced, moved or given
// another configuration.
type Workload struct {
	// Name is the Deployment's and the Service's name, unique among workloads. Required.
	Name string `json:"name"`
	// Namespace takes the workload; Strata owns it. Default apps.
	Namespace string `json:"namespace,omitempty"`
	// Image is the container's image, with a tag other than latest or a digest. Required.
	Image string `json:"image"`
	// Args are the container's arguments. Default: the image's.
	Args []string `json:"args,omitempty"`
	// Port is the container's port for HTTP. Default 8080. The Service's port is 80.
	Port int `json:"port,omitempty"`
	// Replicas is the number of Pods. Default 2. A single one is refused, unless acceptDowntime is
	// set.
	Replicas int `json:"replicas,omitempty"`
	// AcceptDowntime allows a single replica, which nothing stands in for when its node is drained
	// or dies. Default false.
	AcceptDowntime bool `json:"acceptDowntime,omitempty"`
	// LongestRequest bounds the time of a request; a Pod that stops finishes its requests for so
	// long. Default 30s.
	LongestRequest metav1.Duration `json:"longestRequest,omitzero"`
	// PreStop is the time for which a Pod that stops still takes requests: its removal may take as
	// long to reach every kube-proxy and ingress controller. Default 15s.
	PreStop metav1.Duration `json:"preStop,omitzero"`
	// Slack is the time that a stop may take beyond preStop and longestRequest. Default 10s.
	Slack metav1.Duration `json:"slack,omitzero"`
	// GracePeriod is the time of a Pod that stops before it is killed. Default, and at least:
	// preStop + longestRequest + slack.
	GracePeriod metav1.Duration `json:"gracePeriod,omitzero"`
	// MinReady is the time for which a new Pod must have been ready before an old one goes. Default
	// 5s.
	MinReady metav1.Duration `json:"minReady,omitzero"`
	// Probes say when a Pod has started, serves and lives.
	Probes WorkloadProbes `json:"probes,omitzero"`
	// Env are environment variables. They are plain in the state.
	Env map[string]string `json:"env,omitempty"`
	// SecretEnv are environment variables that come from a Secret. Set them with pulumi config set
	// --secret --path.
	SecretEnv map[string]string `json:"secretEnv,omitempty"`
	// Files are files of the container by absolute path, from a ConfigMap.
	Files map[string]string `json:"files,omitempty"`
	// SecretFiles are files of the container by absolute path, from a Secret. Set them with pulumi
	// config set --secret --path.
	SecretFiles map[string]string `json:"secretFiles,omitempty"`
	// ImmutableConfig gives files, secretFiles and secretEnv objects that get another name each
	// time their contents change, and which cannot be edited: Pods of the previous revision keep
	// theirs until the rollout is over, which an update then waits for whatever apps.validate says.
	// Default false: an object is updated in place, and the Pods are replaced.
	ImmutableConfig bool `json:"immutableConfig,omitempty"`
	// Wave has the operator (apps.wave) replace the Pods when something that they read changes
	// outside Strata, for example a renewed certificate. Implies immutableConfig: else a change by
	// Strata would replace them twice. Default false.
	Wave bool `json:"wave,omitempty"`
	// Certificate is a certificate of the stack's CA, mounted as files. Default: none.
	Certificate *WorkloadCertificate `json:"certificate,omitempty"`
	// Routes lead requests from outside to it. Default: none, it is reached inside the cluster
	// only.
	Routes []WorkloadRoute `json:"routes,omitempty"`
	// Canary has a new version take a part of the requests before it replaces the old one. Default:
	// none, the rollout replaces Pod by Pod.
	Canary *Canary `json:"canary,omitempty"`
	// Root lets the container run as root. Default false: kubelet refuses an image that does.
	Root bool `json:"root,omitempty"`
	// Resources are the requests and limits of a Pod.
	Resources WorkloadResources `json:"resources,omitzero"`
}

// WorkloadProbes say how kubelet asks a Pod.
type WorkloadProbes struct {
	// Ready is the path that answers 200 to 399 when the Pod can serve. Default /. It also ends the
	// start, and shows that a route above it works; any other route is asked for its own path,
	// which must not answer 404.
	Ready string `json:"ready,omitempty"`
	// Live is the path that answers as long as the process is of use; it must not ask the Pod's
	// dependencies. Default: none, it is enough that the port takes connections.
	Live string `json:"live,omitempty"`
	// Startup bounds the time of a start. Default 1m.
	Startup metav1.Duration `json:"startup,omitzero"`
}

// WorkloadCertificate is a certificate that Pods mount.
type WorkloadCertificate struct {
	// DNSNames are the names that it is valid for. Default: the Service's names inside the cluster.
	DNSNames []string `json:"dnsNames,omitempty"`
	// Mount is the folder with tls.crt, tls.key and ca.crt. Default /etc/tls.
	Mount string `json:"mount,omitempty"`
	// Wait bounds the wait of a new Pod for a valid pair of key and chain. Default 5m.
	Wait metav1.Duration `json:"wait,omitzero"`
	// Lifetime is for how long each is valid. Default: the CA's, 90 days.
	Lifetime metav1.Duration `json:"lifetime,omitzero"`
}

// The values of WorkloadRoute.Kind.
const (
	// RouteHTTP is the Gateway API's HTTPRoute.
	RouteHTTP = "HTTPRoute"
	// RouteIngress is Kubernetes' own Ingress.
	RouteIngress = "Ingress"
	// RouteApisix is APISIX's own ApisixRoute.
	RouteApisix = "ApisixRoute"
)

// WorkloadRoute leads requests for a host to the workload.
type WorkloadRoute struct {
	// Host is the name below ingress.domain. Default: the workload's name.
	Host string `json:"host,omitempty"`
	// Path is the prefix of the paths. Default /.
	Path string `json:"path,omitempty"`
	// Controller is the ingress controller, of ingress.controllers. Default: the first of them.
	Controller string `json:"controller,omitempty" enum:"traefik,apisix"`
	// Kind is HTTPRoute, Ingress or ApisixRoute. Default: HTTPRoute with Traefik, ApisixRoute with
	// APISIX.
	Kind string `json:"kind,omitempty" enum:"HTTPRoute,Ingress,ApisixRoute"`
}

// WorkloadResources are quantities as Kubernetes writes them.
type WorkloadResources struct {
	// CPU is the request of each Pod. Default 50m. There is no limit: a throttled Pod answers late.
	CPU string `json:"cpu,omitempty"`
	// Memory is the request of each Pod. Default 64Mi.
	Memory string `json:"memory,omitempty"`
	// MemoryLimit is the memory beyond which a Pod is killed. Default: none.
	MemoryLimit string `json:"memoryLimit,omitempty"`
}

// Grace returns the time of a Pod that stops before it is killed: it serves on for preStop,
// finishes its requests, and ends.
func (w Workload) Grace() time.Duration {
	return max(w.GracePeriod.Duration, w.needs())
}

// needs returns the least time for a stop.
func (w Workload) needs() time.Duration {
	return w.PreStop.Duration + w.LongestRequest.Duration + w.Slack.Duration
}

// MaxUnavailable returns the number of Pods that a drain may take at once. It is at least one: a
// budget of none would hold up a drain for ever.
func (w Workload) MaxUnavailable() int { return max(1, w.Replicas/3) }

// RoutesBy counts the routes of an ingress controller.
func (w Workload) RoutesBy(controller string) (count int) {
	for _, route := range w.Routes {
		if route.Controller == controller {
			count++
		}
	}
	return count
}

// deriveWorkloads fills in the defaults of workloads.
func (c *Config) deriveWorkloads() {
	for i := range c.Apps.Workloads {
		w := &c.Apps.Workloads[i]
		w.derive()
		for j := range w.Routes {
			c.deriveRoute(w.Name, &w.Routes[j])
		}
	}
}

func (w *Workload) derive() {
	seconds := func(d *metav1.Duration, n int) {
		d.Duration = or(d.Duration,
			time.Duration(n)*time.Second)
	}
	w.Namespace = or(w.Namespace, "apps")
	w.Port, w.Replicas = or(w.Port, 8080), or(w.Replicas, 2)
	seconds(&w.LongestRequest, 30)
	seconds(&w.PreStop, 15)
	seconds(&w.Slack, 10)
	seconds(&w.MinReady, 5)
	seconds(&w.Probes.Startup, 60)
	w.ImmutableConfig = w.ImmutableConfig || w.Wave
	w.Probes.Ready = or(w.Probes.Ready, "/")
	w.Resources.CPU, w.Resources.Memory = or(w.Resources.CPU, "50m"), or(w.Resources.Memory, "64Mi")
	if w.Canary != nil {
		w.Canary.derive()
	}
	if c := w.Certificate; c != nil {
		c.Mount = or(c.Mount, "/etc/tls")
		seconds(&c.Wait, 300)
		if len(c.DNSNames) == 0 {
			c.DNSNames = w.insideNames()
		}
	}
}

// insideNames returns the Service's names inside the cluster.
func (w *Workload) insideNames() []string {
	inside := w.Name + "." + w.Namespace + ".svc"
	return []string{inside, inside + ".cluster.local"}
}

func (c *Config) deriveRoute(workload string, route *WorkloadRoute) {
	route.Host, route.Path = or(route.Host, workload), or(route.Path, "/")
	if route.Controller == "" && len(c.Ingress.Controllers) > 0 {
		route.Controller = c.Ingress.Controllers[0]
	}
	route.Kind = or(route.Kind, DefaultRouteKind(route.Controller))
}

// DefaultRouteKind returns the kind of route of an ingress controller, unless another is asked for.
func DefaultRouteKind(controller string) string {
	if controller == ControllerAPISIX {
		return RouteApisix
	}
	return RouteHTTP
}

// WorkloadNamespaces returns the namespaces that workloads run in, each once.
func (a Apps) WorkloadNamespaces() []string {
	var names []string
	for _, w := range a.Workloads {
		if !slices.Contains(names, w.Namespace) {
			names = append(names, w.Namespace)
		}
	}
	slices.Sort(names)
	return names
}

package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Workload is one HTTP application that loses no request when it is replaced, moved or given
// another configuration.
type Workload struct {
	// Name is the Deployment's and the Service's name, unique among workloads. Required.
	Name string `json:"name" plain:"true"`
	// Namespace is the workload's namespace, which Strata owns. Default apps.
	Namespace string `json:"namespace,omitempty" plain:"true"`
	// Image is the container's image, with a tag other than latest or a digest. Required.
	Image string `json:"image"`
	// Args are the container's arguments. Default: the image's.
	Args []string `json:"args,omitempty"`
	// Port is the container's port for HTTP. Default 8080. The Service's port is 80.
	Port int `json:"port,omitempty"`
	// Replicas is the number of Pods. Default 2. A single one is refused, unless acceptDowntime is
	// set.
	Replicas int `json:"replicas,omitempty"`
	// AcceptDowntime allows a single replica: the workload is down while its node is drained or
	// dead. Default false.
	AcceptDowntime bool `json:"acceptDowntime,omitempty"`
	// LongestRequest is the longest time that a request may take. A stopping Pod finishes its open
	// requests within this time. Default 30s.
	LongestRequest metav1.Duration `json:"longestRequest,omitzero"`
	// PreStop is the time for which a stopping Pod still accepts requests, until every kube-proxy
	// and ingress controller has removed the Pod from its endpoints. Default 15s.
	PreStop metav1.Duration `json:"preStop,omitzero"`
	// Slack is the time that a stop may take beyond preStop and longestRequest. Default 10s.
	Slack metav1.Duration `json:"slack,omitzero"`
	// GracePeriod is the time from the start of a Pod's termination until the Pod is killed.
	// Default, and at least: preStop + longestRequest + slack.
	GracePeriod metav1.Duration `json:"gracePeriod,omitzero"`
	// MinReady is the time for which a new Pod must be ready before the rollout stops an old one.
	// Default 5s.
	MinReady metav1.Duration `json:"minReady,omitzero"`
	// Probes configures the startup, readiness and liveness probes.
	Probes WorkloadProbes `json:"probes,omitzero"`
	// Env are environment variables. The state stores them unencrypted.
	Env map[string]string `json:"env,omitempty"`
	// SecretEnv are environment variables that come from a Secret. Set them with pulumi config set
	// --secret --path.
	SecretEnv map[string]string `json:"secretEnv,omitempty"`
	// Files are files of the container by absolute path, from a ConfigMap.
	Files map[string]string `json:"files,omitempty"`
	// SecretFiles are files of the container by absolute path, from a Secret. Set them with pulumi
	// config set --secret --path.
	SecretFiles map[string]string `json:"secretFiles,omitempty"`
	// ImmutableConfig stores files, secretFiles and secretEnv in immutable objects, whose names
	// change with their contents. Pods of the previous revision keep their objects until the
	// rollout is over. An update waits for the rollout, even if apps.validate is skip. Default
	// false: an object is updated in place, and the Pods are replaced.
	ImmutableConfig bool `json:"immutableConfig,omitempty"`
	// Wave makes the operator (apps.wave) replace the Pods when their ConfigMaps or Secrets change
	// outside Strata, for example at a certificate's renewal. Implies immutableConfig: otherwise a
	// change by Strata would replace the Pods twice. Default false.
	Wave bool `json:"wave,omitempty"`
	// Certificate is a certificate of the stack's CA, mounted as files. Default: none.
	Certificate *WorkloadCertificate `json:"certificate,omitempty"`
	// Routes lead requests from outside the cluster to the workload. Default: none.
	Routes []WorkloadRoute `json:"routes,omitempty"`
	// Canary sends a share of the requests to a new version before the rollout replaces the old.
	// Default: none, the rollout replaces Pod by Pod.
	Canary *Canary `json:"canary,omitempty"`
	// Root lets the container run as root. Default false: kubelet refuses an image that runs as
	// root.
	Root bool `json:"root,omitempty"`
	// Resources are the requests and limits of a Pod.
	Resources WorkloadResources `json:"resources,omitzero"`
}

// MaxUnavailable returns the number of Pods that a drain may evict at once. It is at least one,
// because zero would block a drain for ever.
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
		d.Duration = cmp.Or(d.Duration,
			time.Duration(n)*time.Second)
	}
	w.Namespace = cmp.Or(w.Namespace, "apps")
	w.Port, w.Replicas = cmp.Or(w.Port, 8080), cmp.Or(w.Replicas, 2)
	seconds(&w.LongestRequest, 30)
	seconds(&w.PreStop, 15)
	seconds(&w.Slack, 10)
	seconds(&w.MinReady, 5)
	seconds(&w.Probes.Startup, 60)
	w.ImmutableConfig = w.ImmutableConfig || w.Wave
	w.Probes.Ready = cmp.Or(w.Probes.Ready, "/")
	w.Resources.CPU = cmp.Or(w.Resources.CPU, "50m")
	w.Resources.Memory = cmp.Or(w.Resources.Memory, "64Mi")
	if w.Canary != nil {
		w.Canary.derive()
	}
	if c := w.Certificate; c != nil {
		c.Mount = cmp.Or(c.Mount, "/etc/tls")
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

// longestName bounds a workload's name. The name of a Pod has two more hashes, and becomes the
// value of a label, which is at most 63 characters.
const longestName = 40

// hasOwner reports whether a namespace is Kubernetes' own or a layer's.
func hasOwner(namespace string) bool {
	return slices.Contains([]string{"default", "demo"}, namespace) ||
		strings.HasPrefix(namespace, "kube-") ||
		slices.ContainsFunc(charts, func(row chart) bool { return row.namespace == namespace })
}

// workloadCheck holds the values that the checks of one workload share.
type workloadCheck struct {
	*problems
	c   *Config
	w   Workload
	key func(name string, args ...any) string
}

func (c *Config) checkWorkloads(ps *problems) {
	names, hosts := map[string]bool{}, map[string]string{}
	canaries := map[string]bool{}
	for _, w := range c.Apps.Workloads {
		canaries[w.Name+"-canary"] = w.Canary != nil || canaries[w.Name+"-canary"]
	}
	for i, w := range c.Apps.Workloads {
		check := workloadCheck{ps, c, w, func(name string, args ...any) string {
			return field("apps.workloads[%d].%s", i, fmt.Sprintf(name, args...))
		}}
		ps.addIf(names[w.Name], check.key("name"), w.Name, "is there twice",
			"give each workload a name of its own")
		names[w.Name] = true
		check.addIf(canaries[w.Name], check.key("name"), w.Name,
			"is what the canary of "+strings.TrimSuffix(w.Name, "-canary")+" is called",
			"choose another")
		check.identity()
		check.replicas()
		check.times()
		check.probes()
		check.content()
		check.certificate()
		check.resources()
		check.routes(hosts)
		check.canary()
	}
}

func (w workloadCheck) identity() {
	w.addIf(len(validation.IsDNS1035Label(w.w.Name)) > 0 || len(w.w.Name) > longestName,
		w.key("name"), w.w.Name, fmt.Sprintf("is not a name of at most %d characters", longestName),
		"use lower-case letters, digits and dashes, beginning with a letter, for example shop")
	// The stack's outputs urls and addresses have these names as keys already.
	w.addIf(slices.Contains(platformHosts, w.w.Name), w.key("name"), w.w.Name,
		"is a name of the platform's own services", "choose another")
	namespace := w.w.Namespace
	w.addIf(len(validation.IsDNS1123Label(namespace)) > 0, w.key("namespace"), namespace,
		"is not a namespace's name", "use lower-case letters, digits and dashes, for example apps")
	w.addIf(hasOwner(namespace), w.key("namespace"), namespace, "has an owner already",
		"choose one that nothing else uses, for example apps")
	// Without a version, a new image leaves the Pod template unchanged. Then no rollout starts, and
	// each node runs its old copy.
	if tag := imageTag(w.w.Image); w.w.Image == "" || tag == "" || tag == "latest" {
		w.add(w.key("image"), w.w.Image, "names no version",
			"append a tag other than latest, or a digest, for example docker.io/acme/shop:1.2.3")
	}
	w.addIf(w.w.Port < 1 || w.w.Port > 65535, w.key("port"), fmt.Sprint(w.w.Port), "is not a port",
		"use 1 to 65535")
}

// imageTag returns the tag or the digest of an image's reference; empty without one.
func imageTag(image string) string {
	if _, digest, found := strings.Cut(image, "@"); found {
		return digest
	}
	last := image[strings.LastIndex(image, "/")+1:]
	_, tag, _ := strings.Cut(last, ":")
	return tag
}

func (w workloadCheck) replicas() {
	switch n := w.w.Replicas; {
	case n < 1:
		w.add(w.key("replicas"), fmt.Sprint(n), "is less than one", "use 2 or more")
	case n == 1 && !w.w.AcceptDowntime:
		w.add(w.key("replicas"), "1", "leaves no Pod to answer while this one is moved by a drain, or its node is dead",
			"use 2 or more; or set acceptDowntime: true, for a workload that may be away for a while")
	}
}

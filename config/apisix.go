package config

import (
	"net/netip"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ControllerAPISIX is Apache APISIX in Ingress.Controllers.
const ControllerAPISIX = "apisix"

// APISIX configures Apache APISIX: its ingress controller, and the data plane that the controller
// configures.
type APISIX struct {
	// ChartVersion is the data plane's chart's version. Default: the bundle's version, or else the
	// pin.
	ChartVersion string `json:"chartVersion,omitempty"`
	// ControllerChartVersion is the ingress controller's chart's version. Default: the bundle's
	// version, or else the pin.
	ControllerChartVersion string `json:"controllerChartVersion,omitempty"`
	// Values are values of the data plane's chart, as its values.yaml has them, below those that
	// Strata sets (docs/values.md). Default: none.
	Values Values `json:"values,omitzero"`
	// ControllerValues are the same of the ingress controller's chart.
	ControllerValues Values `json:"controllerValues,omitzero"`
	// Replicas is the number of Pods of the data plane. Default 2. With two, one can go while the
	// other serves.
	Replicas int `json:"replicas,omitempty"`
	// Address is the load balancer's address for APISIX, of metallb.addresses. Default: MetalLB
	// chooses.
	Address netip.Addr `json:"address,omitzero"`
	// ExternalTrafficPolicy is that of the data plane's Service, as in
	// traefik.externalTrafficPolicy. Default: Cluster.
	ExternalTrafficPolicy TrafficPolicy `json:"externalTrafficPolicy,omitempty"`
	// LongestRequest bounds the time of a request; a Pod that stops serves its requests for so
	// long. Default 30s.
	LongestRequest metav1.Duration `json:"longestRequest,omitzero"`
}

// The values of Apps.Validate.
const (
	// ValidateFull waits until everything answers from outside the cluster.
	ValidateFull = "full"
	// ValidateSkip waits only for resources that others depend on.
	ValidateSkip = "skip"
)

// Apps configures the applications on the platform.
type Apps struct {
	// Demo installs the demo of APISIX: httpbin, Keycloak with a realm, and a small REST API, each
	// behind its own kind of route. Needs controller apisix. Default false.
	Demo *bool `json:"demo,omitempty"`
	// RestImage is the image of the demo's REST API, examples/go-rest, which no registry has.
	// Default: the bundle's, or the one that `strata fetch` builds if artifacts.source is upstream;
	// nodes get it as an archive. Required with the demo on an existing cluster, whose nodes Strata
	// does not reach.
	RestImage string `json:"restImage,omitempty"`
	// Manifests are YAML or JSON files of your own, relative to the project. They are applied in
	// parallel, each object as soon as the server of its kind works.
	Manifests []string `json:"manifests,omitempty"`
	// Workloads are applications of your own that lose no request when they are replaced.
	Workloads []Workload `json:"workloads,omitempty"`
	// Wave is the operator for changes of ConfigMaps and Secrets outside Strata.
	Wave Wave `json:"wave,omitzero"`
	// CertWaitImage is the image of the init container that holds a Pod until its certificate is
	// there, tools/cert-wait. It has the default of restImage, and is required on an existing
	// cluster with a certificate of a workload.
	CertWaitImage string `json:"certWaitImage,omitempty"`
	// Validate is full or skip. Full ends an update when APISIX, the applications behind it, and
	// each workload answer from outside the cluster. Skip leaves out every gate of theirs that
	// nothing depends on: the update ends early, and the rest converges behind it. Default full.
	// The variable SKIP_FINAL_WAIT=true means skip, and false full.
	Validate string `json:"validate,omitempty" enum:"full,skip"`
}

// Full reports whether an up waits until everything answers.
func (a Apps) Full() bool { return a.Validate != ValidateSkip }

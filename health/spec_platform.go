package health

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CRDsSpec names custom resource definitions that must be served.
type CRDsSpec struct {
	// Names are the CRDs' names, plural.group.
	Names []string `json:"names"`
}

// IssuerSpec names a cert-manager issuer.
type IssuerSpec struct {
	Name string `json:"name"`
	// Namespace is an Issuer's; empty means a ClusterIssuer.
	Namespace string `json:"namespace,omitempty"`
	// CA is the one that it must sign with. Default: none in particular.
	CA *CASpec `json:"ca,omitempty"`
}

// CASpec names the Secret of an issuer's CA, and says which CA must be in it.
type CASpec struct {
	// Secret is namespace/name of the Secret, whose tls.crt is the CA.
	Secret string `json:"secret"`
	// Certificate is the CA that the stack has recorded and people trust, in PEM.
	Certificate string `json:"certificate"`
	// Accepted is the beginning of the fingerprint that strata:certManager.acceptedCA names.
	// Default: it names none.
	Accepted string `json:"accepted,omitempty"`
}

// CertificateSpec names a cert-manager Certificate and the requirements of its Secret.
type CertificateSpec struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Secret is the Secret that the Certificate writes.
	Secret string `json:"secret"`
	// DNSNames are the names, or IP addresses, that the certificate must be valid for.
	DNSNames []string `json:"dnsNames,omitempty"`
	// MinRemaining is for how long it must be valid from now on, or a sixth of its life where that
	// is less. Zero: it only must not have expired.
	MinRemaining metav1.Duration `json:"minRemaining,omitzero"`
	// CASecret is namespace/name of the Secret whose ca.crt the chain must lead to: the issuer's,
	// which may have another CA than the one that it put into Secret, or put none there. Empty: the
	// chain leads to Secret's own ca.crt or, without one, to this machine's CAs.
	CASecret string `json:"caSecret,omitempty"`
}

// ClaimSpec names a PersistentVolumeClaim.
type ClaimSpec struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// ClassKey is the configuration key that sets its StorageClass, for messages.
	ClassKey string `json:"classKey"`
}

// VaultSpec names a Vault server in the cluster.
type VaultSpec struct {
	// Namespace and Pod run Vault; Port is its API's, which speaks TLS.
	Namespace string `json:"namespace"`
	Pod       string `json:"pod"`
	Port      int    `json:"port"`
	// Workload is namespace/kind/name of the workload behind it; its Pods explain a failure.
	Workload string `json:"workload"`
}

// AddressSpec names a Service of type LoadBalancer and the ports that must answer at its address.
type AddressSpec struct {
	Namespace string `json:"namespace"`
	Service   string `json:"service"`
	// Ports are TCP ports. Each must accept a connection from this machine and from each of the
	// Spec's Hosts.
	Ports []int `json:"ports"`
	// Want is the IP address that the Service must have. Empty: any.
	Want string `json:"want,omitempty"`
}

// GatewaySpec names a Gateway, its class and the listeners that must serve.
type GatewaySpec struct {
	Class     string `json:"class"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Listeners are names of spec.listeners. A Gateway is Accepted and Programmed as soon as one of
	// its listeners is.
	Listeners []string `json:"listeners"`
	// Routes has the least number of attached routes of a listener, by its name. Optional.
	Routes map[string]int `json:"routes,omitempty"`
}

// HTTPSpec names URLs that a Service's LoadBalancer address must answer.
type HTTPSpec struct {
	// Namespace and Service are of type LoadBalancer. Its address is dialled whatever the URLs'
	// host names resolve to, so that the gate holds before there is any DNS; the port is the URL's.
	Namespace string `json:"namespace"`
	Service   string `json:"service"`
	// CASecret is namespace/name of the Secret whose ca.crt, or else tls.crt, the certificates must
	// lead to. Empty: this machine's own CAs.
	CASecret string      `json:"caSecret,omitempty"`
	Probes   []HTTPProbe `json:"probes"`
}

// HTTPProbe is one request and the expected answer. A redirect is an answer and is never followed.
type HTTPProbe struct {
	// Name is the probe's in messages.
	Name string `json:"name"`
	// URL is http or https, without user or password.
	URL string `json:"url"`
	// Method is GET if empty.
	Method string `json:"method,omitempty"`
	// Status are the codes of which one must come back. Empty: 200, or, with RedirectTo, any
	// redirect.
	Status []int `json:"status,omitempty"`
	// Contains is a part of the body. Optional.
	Contains string `json:"contains,omitempty"`
	// Auth sends basic authentication from the Secrets.
	Auth bool `json:"auth,omitempty"`
	// RedirectTo is the Location, as an absolute URL. Optional.
	RedirectTo string `json:"redirectTo,omitempty"`
	// RedirectPrefix begins the Location, for one whose end differs each time. Optional.
	RedirectPrefix string `json:"redirectPrefix,omitempty"`
	// KeyHeader is the name of a header that carries the key from the Secrets. Optional.
	KeyHeader string `json:"keyHeader,omitempty"`
	// Login follows redirects to a login page, logs in with the Secrets' user and password, and
	// follows those back to URL. Status and Contains are of what URL answers then.
	Login bool `json:"login,omitempty"`
}

// ApplicationsSpec names ArgoCD Applications.
type ApplicationsSpec struct {
	Namespace string   `json:"namespace"`
	Names     []string `json:"names"`
}

// MetricsSpec names a Service in the cluster and the series that Prometheus must find there.
type MetricsSpec struct {
	Namespace string `json:"namespace"`
	Service   string `json:"service"`
	Port      int    `json:"port"`
	Path      string `json:"path"`
	// Series are names of metrics. Each must have a sample.
	Series []string `json:"series"`
}

// UpstreamsSpec names the Pods of APISIX's data plane and routes that must lead to their Pods. The
// data plane is a standalone one, which holds its controller's configuration and gives it out again
// (apisix/admin/standalone.lua).
type UpstreamsSpec struct {
	// Namespace and Selector, a label selector, are of the data plane's Pods; Port is their admin
	// API's. It is asked with the APIKey.
	Namespace string `json:"namespace"`
	Selector  string `json:"selector"`
	Port      int    `json:"port"`
	// Controller is namespace/Deployment/name of its controller, for messages.
	Controller string     `json:"controller"`
	Routes     []RouteRef `json:"routes"`
	// Resync is the interval at which the controller sends everything again, whatever happened. A
	// difference that outlives two of them stays.
	Resync metav1.Duration `json:"resync"`
}

// RouteKinds are the kinds of routes that a gate of kind upstreams knows.
var RouteKinds = []string{"HTTPRoute", "ApisixRoute", "Ingress"}

// RouteRef names a route.
type RouteRef struct {
	// Kind is HTTPRoute, ApisixRoute or Ingress.
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// String is the route as kubectl names it with its namespace.
func (r RouteRef) String() string { return r.Kind + " " + r.Namespace + "/" + r.Name }

// RolloutSpec names workloads whose newest revision must serve.
type RolloutSpec struct {
	// Workloads are namespace/kind/name, of kind Deployment, DaemonSet or StatefulSet.
	Workloads []string `json:"workloads"`
	// Redis is the one of Argo CD. Default: no workload has one.
	Redis *RedisSpec `json:"redis,omitempty"`
}

// RedisSpec names Pods whose log says whether redis takes their password.
type RedisSpec struct {
	Namespace string `json:"namespace"`
	// Secret has the password.
	Secret string `json:"secret"`
	// Clients is the label selector of the Pods, and Container the one in them that writes to redis.
	Clients   string `json:"clients"`
	Container string `json:"container"`
}

// NamespaceSpec names a namespace.
type NamespaceSpec struct {
	Name string `json:"name"`
}

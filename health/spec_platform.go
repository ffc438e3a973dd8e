package health

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
}

// CertificateSpec names a cert-manager Certificate and what its Secret must be good for.
type CertificateSpec struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Secret is the Secret that the Certificate writes.
	Secret string `json:"secret"`
	// DNSNames are the names, or IP addresses, that the certificate must be valid for.
	DNSNames []string `json:"dnsNames,omitempty"`
	// MinRemaining is for how long it must be valid from now on. Zero: it only must not have expired.
	MinRemaining metav1.Duration `json:"minRemaining,omitzero"`
}

// AddressSpec names a Service of type LoadBalancer and the ports that must answer at its address.
type AddressSpec struct {
	Namespace string `json:"namespace"`
	Service   string `json:"service"`
	// Ports are TCP ports. Each must accept a connection from this machine and from each of the Spec's Hosts.
	Ports []int `json:"ports"`
	// Want is the IP address that the Service must have. Empty: any.
	Want string `json:"want,omitempty"`
}

// GatewaySpec names a Gateway, its class and the listeners that must serve.
type GatewaySpec struct {
	Class     string `json:"class"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Listeners are names of spec.listeners. A Gateway is Accepted and Programmed as soon as one of its listeners is.
	Listeners []string `json:"listeners"`
}

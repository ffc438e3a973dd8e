package teardown

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// derived lists the API groups and kinds whose objects Kubernetes creates and recreates itself:
// Events, Leases, endpoints and metrics.
var derived = []string{"events.k8s.io", "coordination.k8s.io", "discovery.k8s.io", "metrics.k8s.io",
	"Event", "Endpoints"}

// byLayers lists the objects that Strata's components create without an owner reference, as
// Kind/namespace/name.
var byLayers = []string{
	"AppProject.argoproj.io/argocd/default",          // argo-cd util/argo/argo.go
	"Secret/argocd/argocd-initial-admin-secret",      // argo-cd util/settings/settings.go
	"Secret/cert-manager/cert-manager-webhook-ca",    // cert-manager pkg/server/tls/authority/authority.go
	"Secret/cert-manager/strata-acme-account",        // the ACME issuer's account
	"Secret/metallb-system/metallb-memberlist",       // metallb internal/k8s/k8s.go
	"ServiceL2Status.metallb.io/metallb-system/*",    // each speaker's announcements
	"ConfigurationState.metallb.io/metallb-system/*", // the configuration that each speaker has read
}

// isOthers reports whether an object belongs to another owner: neither the stack nor an object of
// the stack created it. The field manager is no evidence, because every Pulumi program has the same
// field manager.
func isOthers(object *unstructured.Unstructured, ours Objects) bool {
	kind, name := kindOf(object), nameOf(object)
	notes := object.GetAnnotations()
	switch {
	case object.GetDeletionTimestamp() != nil, len(object.GetOwnerReferences()) > 0,
		ours.Has(kind, name), isDerived(kind):
		return false
	case ours.Has(KindRelease, releaseOf(object)),
		notes["helm.sh/hook"] != "" && ours.hasReleaseIn(object.GetNamespace()): // it names no release
		return false
	case slices.Contains(byLayers, kind+"/"+name) ||
		slices.Contains(byLayers, kind+"/"+object.GetNamespace()+"/*"):
		return false
	case kind == "ConfigMap":
		return object.GetName() != "kube-root-ca.crt"
	case kind == "ServiceAccount":
		return object.GetName() != metav1.NamespaceDefault
	case kind == "Secret":
		labels := object.GetLabels()
		issued := notes["cert-manager.io/certificate-name"] != "" ||
			labels["cert-manager.io/next-private-key"] != ""
		record := labels["owner"] == "helm" &&
			ours.Has(KindRelease, join(object.GetNamespace(), labels["name"]))
		return !issued && !record
	}
	return true
}

// isDerived reports whether Kubernetes itself creates the objects of a kind or of its API group.
func isDerived(kind string) bool {
	_, group, _ := strings.Cut(kind, ".")
	return slices.Contains(derived, kind) || group != "" && slices.Contains(derived, group)
}

// reference reports whether user refers to the object with a namespace and a name.
type reference func(user *unstructured.Unstructured, namespace, name string) bool

// users maps a kind to the kinds that can refer to its objects, each with the check for such a
// reference.
var users = map[string]map[string]reference{
	"ClusterIssuer.cert-manager.io": {
		"Certificate.cert-manager.io":           namesIssuer,
		"CertificateRequest.cert-manager.io":    namesIssuer,
		"Ingress.networking.k8s.io":             annotatesIssuer,
		"Gateway.gateway.networking.k8s.io":     annotatesIssuer,
		"ListenerSet.gateway.networking.k8s.io": annotatesIssuer,
	},
	"Gateway.gateway.networking.k8s.io": {
		"HTTPRoute.gateway.networking.k8s.io":   namesParent,
		"GRPCRoute.gateway.networking.k8s.io":   namesParent,
		"TLSRoute.gateway.networking.k8s.io":    namesParent,
		"TCPRoute.gateway.networking.k8s.io":    namesParent,
		"UDPRoute.gateway.networking.k8s.io":    namesParent,
		"ListenerSet.gateway.networking.k8s.io": namesParent,
		"Consumer.apisix.apache.org":            namesParent,
	},
	"GatewayClass.gateway.networking.k8s.io": {"Gateway.gateway.networking.k8s.io": namesIn("spec",
		"gatewayClassName")},
	"IngressClass.networking.k8s.io": {
		"Ingress.networking.k8s.io":            namesIn("spec", "ingressClassName"),
		"ApisixConsumer.apisix.apache.org":     namesIn("spec", "ingressClassName"),
		"ApisixGlobalRule.apisix.apache.org":   namesIn("spec", "ingressClassName"),
		"ApisixPluginConfig.apisix.apache.org": namesIn("spec", "ingressClassName"),
		"ApisixRoute.apisix.apache.org":        namesIn("spec", "ingressClassName"),
		"ApisixTls.apisix.apache.org":          namesIn("spec", "ingressClassName"),
		"ApisixUpstream.apisix.apache.org":     namesIn("spec", "ingressClassName"),
		"IngressRoute.traefik.io":              isTraefiks,
		"IngressRouteTCP.traefik.io":           isTraefiks,
		"IngressRouteUDP.traefik.io":           isTraefiks,
	},
	"IPAddressPool.metallb.io": {
		"Service":                     hasAddress,
		"L2Advertisement.metallb.io":  announces,
		"BGPAdvertisement.metallb.io": announces,
	},
}

func namesIn(path ...string) reference {
	return func(user *unstructured.Unstructured, _, name string) bool {
		named, _, _ := unstructured.NestedString(user.Object, path...)
		return named == name
	}
}

func namesIssuer(user *unstructured.Unstructured, _, name string) bool {
	kind, _, _ := unstructured.NestedString(user.Object, "spec", "issuerRef", "kind")
	return kind == "ClusterIssuer" && namesIn("spec", "issuerRef", "name")(user, "", name)
}

func annotatesIssuer(user *unstructured.Unstructured, _, name string) bool {
	return user.GetAnnotations()["cert-manager.io/cluster-issuer"] == name
}

func namesParent(user *unstructured.Unstructured, namespace, name string) bool {
	parents, _, _ := unstructured.NestedSlice(user.Object, "spec", "parentRefs")
	for _, key := range []string{"parentRef", "gatewayRef"} { // of a ListenerSet, of a Consumer
		if one, is, _ := unstructured.NestedMap(user.Object, "spec", key); is {
			parents = append(parents, one)
		}
	}
	return slices.ContainsFunc(parents, func(one any) bool {
		parent, _ := one.(map[string]any)
		kind, is := parent["kind"].(string)
		at, elsewhere := parent["namespace"].(string)
		if !elsewhere {
			at = user.GetNamespace()
		}
		return parent["name"] == name && at == namespace && (!is || kind == "Gateway")
	})
}

// isTraefiks reports whether Traefik serves an IngressRoute: its ingress class is that of Traefik,
// or it names no class (traefik pkg/provider/kubernetes/crd/kubernetes.go, shouldProcessIngress).
func isTraefiks(user *unstructured.Unstructured, _, name string) bool {
	class := user.GetAnnotations()["kubernetes.io/ingress.class"]
	return name == "traefik" && (class == "" || class == name)
}

// announces reports whether a MetalLB advertisement names an address pool. An advertisement without
// names applies to all pools, so it does not depend on this pool.
func announces(user *unstructured.Unstructured, namespace, name string) bool {
	pools, _, _ := unstructured.NestedStringSlice(user.Object, "spec", "ipAddressPools")
	return user.GetNamespace() == namespace && slices.Contains(pools, name)
}

// hasAddress reports whether a Service has an address from a pool. MetalLB 0.13 and later records
// the pool in an annotation; without it, every LoadBalancer Service with an address counts.
func hasAddress(user *unstructured.Unstructured, _, name string) bool {
	kind, _, _ := unstructured.NestedString(user.Object, "spec", "type")
	class, _, _ := unstructured.NestedString(user.Object, "spec", "loadBalancerClass")
	addresses, _, _ := unstructured.NestedSlice(user.Object, "status", "loadBalancer", "ingress")
	for _, note := range []string{"metallb.io/ip-allocated-from-pool", "metallb.universe.tf/ip-allocated-from-pool"} {
		if pool := user.GetAnnotations()[note]; pool != "" {
			return pool == name
		}
	}
	return kind == "LoadBalancer" && class == "" && len(addresses) > 0
}

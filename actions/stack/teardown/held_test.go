package teardown

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	fakediscovery "k8s.io/client-go/discovery/fake"
	fakedynamic "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/yaml"
)

// served holds the kinds that the fake cluster serves, by group and version.
var served = map[string][]metav1.APIResource{
	"v1": {
		listable("configmaps", "ConfigMap", true), listable("secrets", "Secret", true),
		listable("persistentvolumeclaims", kindClaim, true),
		listable("serviceaccounts", "ServiceAccount", true), listable("services", "Service", true),
		listable("events", "Event", true),
		listable("endpoints", "Endpoints", true), listable("pods", "Pod", true),
		listable("namespaces", "Namespace", false),
		{Name: "bindings", Kind: "Binding", Namespaced: true, Verbs: []string{"create"}},
	},
	"coordination.k8s.io/v1": {listable("leases", "Lease", true)},
	"metrics.k8s.io/v1beta1": {listable("pods", "PodMetrics", true)},
	"networking.k8s.io/v1": {listable("ingresses", "Ingress", true),
		listable("ingressclasses", "IngressClass", false)},
	"cert-manager.io/v1": {listable("certificates", "Certificate", true),
		listable("certificaterequests", "CertificateRequest", true),
		listable("clusterissuers", "ClusterIssuer", false)},
	"traefik.io/v1alpha1": {listable("ingressroutes", "IngressRoute", true),
		listable("ingressroutetcps", "IngressRouteTCP", true),
		listable("ingressrouteudps", "IngressRouteUDP", true)},
	"apisix.apache.org/v2": {listable("apisixroutes", "ApisixRoute", true),
		listable("apisixtlses", "ApisixTls", true)},
	"apisix.apache.org/v1alpha1": {listable("consumers", "Consumer", true)},
	"apiextensions.k8s.io/v1": {listable("customresourcedefinitions", "CustomResourceDefinition",
		false)},
	"acme.example.org/v1": {listable("anvils", "Anvil", true)},
	"argoproj.io/v1alpha1": {listable("applications", "Application", true),
		listable("appprojects", "AppProject", true)},
	"metallb.io/v1beta1": {listable("servicel2statuses", "ServiceL2Status", true),
		listable("l2advertisements", "L2Advertisement", true),
		listable("bgpadvertisements", "BGPAdvertisement", true)},
	"gateway.networking.k8s.io/v1": {
		listable("httproutes", "HTTPRoute", true), listable("gateways", "Gateway", true),
		listable("gatewayclasses", "GatewayClass", false),
		listable("listenersets", "ListenerSet", true),
	},
	"gateway.networking.k8s.io/v1alpha2": {listable("udproutes", "UDPRoute", true)},
}

func listable(plural, kind string, namespaced bool) metav1.APIResource {
	return metav1.APIResource{Name: plural, Kind: kind, Namespaced: namespaced,
		Verbs: []string{"get", "list"}}
}

// holding returns a cluster with these objects, each as YAML.
func holding(t *testing.T, objects ...string) Cluster {
	t.Helper()
	kinds := fake.NewClientset().Discovery().(*fakediscovery.FakeDiscovery)
	lists := map[schema.GroupVersionResource]string{}
	resources := map[schema.GroupVersionKind]schema.GroupVersionResource{}
	for version, all := range served {
		kinds.Resources = append(kinds.Resources,
			&metav1.APIResourceList{GroupVersion: version, APIResources: all})
		parsed, err := schema.ParseGroupVersion(version)
		require.NoError(t, err)
		for _, one := range all {
			lists[parsed.WithResource(one.Name)] = one.Kind + "List"
			resources[parsed.WithKind(one.Kind)] = parsed.WithResource(one.Name)
		}
	}
	client := fakedynamic.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists)
	for _, text := range objects {
		object := &unstructured.Unstructured{}
		require.NoError(t, yaml.Unmarshal([]byte(text), &object.Object), text)
		require.NoError(t, client.Tracker().Create(resources[object.GroupVersionKind()], object,
			object.GetNamespace()))
	}
	return Cluster{Objects: client, Kinds: kinds}
}

// losses runs Losses of a guard after a run whose objects were previous, and returns the error.
func losses(t *testing.T, guard Guard, cluster Cluster, previous Objects) error {
	t.Helper()
	return guard.Losses(t.Context(), func() (Cluster, error) { return cluster, nil }, previous)
}

var team = Objects{kindNamespace: {"team-a"}, "Deployment.apps": {"team-a/shop"},
	"Secret": {"team-a/shop"}, KindRelease: {"team-a/db"}}

const (
	boundClaim = `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: team-a}, status: {phase: Bound, capacity: {storage: 1Gi}}}`
	foreign    = `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: team-a}}`
)

func TestNamespaceWithForeignObjectsIsNotDeleted(t *testing.T) {
	for name, test := range map[string]struct{ object, want string }{
		"a bound claim": {boundClaim, "volume team-a/data (1Gi)"},
		"a bound claim with an owner": {
			`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: team-a, ownerReferences: [{kind: Cluster, name: db}]}, status: {phase: Bound, capacity: {storage: 1Gi}}}`, "volume team-a/data (1Gi)"},
		"a pending claim": {
			`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: team-a}, status: {phase: Pending}}`, "PersistentVolumeClaim team-a/data"},
		"an object of another owner": {foreign, "ConfigMap team-a/settings"},
		"an object of another Pulumi program": {
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: team-a, managedFields: [{manager: pulumi-kubernetes, operation: Update}]}}`, "ConfigMap team-a/settings"},
		"another Helm release": {
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: team-a, annotations: {meta.helm.sh/release-name: theirs, meta.helm.sh/release-namespace: team-a}}}`, "ConfigMap team-a/x"},
		"the record of another Helm release": {
			`{apiVersion: v1, kind: Secret, metadata: {name: sh.helm.release.v1.theirs.v1, namespace: team-a, labels: {owner: helm, name: theirs}}}`, "Secret team-a/sh.helm.release.v1.theirs.v1"},
		"a Secret": {
			`{apiVersion: v1, kind: Secret, metadata: {name: password, namespace: team-a}}`,
			"Secret team-a/password"},
		"an object of another owner's kind": {
			`{apiVersion: acme.example.org/v1, kind: Anvil, metadata: {name: big, namespace: team-a}}`, "Anvil team-a/big"},
		"a Pod without an owner": {
			`{apiVersion: v1, kind: Pod, metadata: {name: debug, namespace: team-a}}`,
			"Pod team-a/debug"},
	} {
		t.Run(name, func(t *testing.T) {
			err := losses(t, Guard{}, holding(t, test.object), team)
			require.ErrorContains(t, err,
				"refused, nothing was deleted: with it goes what others keep:\n- namespace team-a: "+test.want)
			assert.ErrorContains(t, err,
				"set strata:discard.namespaces to [team-a]; then run pulumi up again")

			assert.NoError(t, losses(t, Guard{Discard: Discard{Namespaces: []string{"team-a"}}},
				holding(t, test.object), team))
			assert.Error(t, losses(t, Guard{Discard: Discard{Namespaces: []string{"team-b"}}},
				holding(t, test.object), team))
			assert.NoError(t, losses(t, Guard{Objects: team}, holding(t, test.object), team),
				"it stays")
		})
	}
}

func TestOwnedAndGeneratedObjectsAreNoLoss(t *testing.T) {
	for name, object := range map[string]string{
		"an owned object":                       `{apiVersion: v1, kind: Pod, metadata: {name: shop-1, namespace: team-a, ownerReferences: [{kind: ReplicaSet, name: shop}]}}`,
		"an object of the stack":                `{apiVersion: v1, kind: Secret, metadata: {name: shop, namespace: team-a}}`,
		"the CA's ConfigMap":                    `{apiVersion: v1, kind: ConfigMap, metadata: {name: kube-root-ca.crt, namespace: team-a}}`,
		"the default account":                   `{apiVersion: v1, kind: ServiceAccount, metadata: {name: default, namespace: team-a}}`,
		"an issued Secret":                      `{apiVersion: v1, kind: Secret, metadata: {name: shop-tls, namespace: team-a, annotations: {cert-manager.io/certificate-name: shop}}}`,
		"the private key of a next certificate": `{apiVersion: v1, kind: Secret, metadata: {name: shop-x, namespace: team-a, labels: {cert-manager.io/next-private-key: "true"}}}`,
		"an object of the stack's release":      `{apiVersion: v1, kind: Service, metadata: {name: db, namespace: team-a, annotations: {meta.helm.sh/release-name: db, meta.helm.sh/release-namespace: team-a}}}`,
		"the record of the stack's release":     `{apiVersion: v1, kind: Secret, metadata: {name: sh.helm.release.v1.db.v1, namespace: team-a, labels: {owner: helm, name: db}}}`,
		"a hook's object":                       `{apiVersion: v1, kind: ServiceAccount, metadata: {name: check, namespace: team-a, annotations: {helm.sh/hook: post-install}}}`,
		"a Lease":                               `{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: leader, namespace: team-a}}`,
		"Endpoints":                             `{apiVersion: v1, kind: Endpoints, metadata: {name: shop, namespace: team-a}}`,
		"an Event":                              `{apiVersion: v1, kind: Event, metadata: {name: shop.1, namespace: team-a}}`,
		"Pod metrics":                           `{apiVersion: metrics.k8s.io/v1beta1, kind: PodMetrics, metadata: {name: shop-1, namespace: team-a}}`,
		"an object that is being deleted":       `{apiVersion: v1, kind: ConfigMap, metadata: {name: old, namespace: team-a, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [x/y]}}`,
		"an object in another namespace":        `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: team-b}}`,
	} {
		t.Run(name, func(t *testing.T) {
			assert.NoError(t,
				losses(t, Guard{}, holding(t, object), team))
		})
	}
	layers := Objects{kindNamespace: {"argocd", "metallb-system"}}
	assert.NoError(t, losses(t, Guard{}, holding(t,
		`{apiVersion: argoproj.io/v1alpha1, kind: AppProject, metadata: {name: default, namespace: argocd}}`,
		`{apiVersion: metallb.io/v1beta1, kind: ServiceL2Status, metadata: {name: l2-x, namespace: metallb-system}}`,
	), layers))
	assert.ErrorContains(t, losses(t, Guard{}, holding(t,
		`{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: shop, namespace: argocd}}`,
	), layers), "- namespace argocd: Application argocd/shop")
	assert.ErrorContains(t, losses(t, Guard{}, holding(t,
		`{apiVersion: v1, kind: Secret, metadata: {name: seed, namespace: team-b, annotations: {helm.sh/hook: pre-install}}}`,
	), Objects{kindNamespace: {"team-b"}}), "- namespace team-b: Secret team-b/seed",
		"no release of ours is there")
}

// Kubernetes deletes an object in spite of references to it. Another owner's object would then
// refer to a missing object.
func TestObjectsReferencedByOthersAreNotDeleted(t *testing.T) { //nolint:funlen // a table of cases
	const definition = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: anvils.acme.example.org%s}, spec: {group: acme.example.org, names: {kind: Anvil}}}`
	anvil := `{apiVersion: acme.example.org/v1, kind: Anvil, metadata: {name: big, namespace: shop}}`
	for name, test := range map[string]struct {
		leaves  Objects
		objects []string
		want    string
	}{
		"an Application that Argo CD deletes with its objects": {
			Objects{"Application.argoproj.io": {"argocd/root"}}, []string{
				`{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: root, namespace: argocd, finalizers: [resources-finalizer.argocd.argoproj.io]}, status: {resources: [{kind: Namespace, name: team-a}, {kind: Application, namespace: argocd, name: shop}]}}`,
				`{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: other, namespace: argocd, finalizers: [resources-finalizer.argocd.argoproj.io]}, status: {resources: [{kind: Namespace, name: team-b}]}}`,
			}, "Application argocd/root: Application argocd/shop, Namespace team-a"},
		"a ClusterIssuer that a Certificate names": {
			Objects{"ClusterIssuer.cert-manager.io": {"strata"}}, []string{
				`{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: web, namespace: shop}, spec: {issuerRef: {kind: ClusterIssuer, name: strata}}}`,
				`{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: other, namespace: shop}, spec: {issuerRef: {kind: Issuer, name: strata}}}`,
			}, "ClusterIssuer strata: Certificate shop/web"},
		"a ClusterIssuer that an Ingress names": {
			Objects{"ClusterIssuer.cert-manager.io": {"strata"}}, []string{
				`{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: web, namespace: shop, annotations: {cert-manager.io/cluster-issuer: strata}}}`,
			}, "ClusterIssuer strata: Ingress shop/web"},
		"a Gateway with routes": {Objects{"Gateway.gateway.networking.k8s.io": {"traefik/traefik"},
			kindNamespace: {"traefik"}}, []string{
			`{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: web, namespace: shop}, spec: {parentRefs: [{name: traefik, namespace: traefik}]}}`,
			`{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: other, namespace: shop}, spec: {parentRefs: [{name: traefik}]}}`,
		}, "Gateway traefik/traefik: HTTPRoute shop/web"},
		"a ClusterIssuer that a CertificateRequest names": {
			Objects{"ClusterIssuer.cert-manager.io": {"strata"}}, []string{
				`{apiVersion: cert-manager.io/v1, kind: CertificateRequest, metadata: {name: web, namespace: shop}, spec: {issuerRef: {kind: ClusterIssuer, name: strata}}}`,
				`{apiVersion: cert-manager.io/v1, kind: CertificateRequest, metadata: {name: issued, namespace: shop, ownerReferences: [{kind: Certificate, name: web, apiVersion: cert-manager.io/v1, uid: "1"}]}, spec: {issuerRef: {kind: ClusterIssuer, name: strata}}}`,
			}, "ClusterIssuer strata: CertificateRequest shop/web"},
		"an IngressClass that an ApisixTls names": {
			Objects{"IngressClass.networking.k8s.io": {"apisix"}}, []string{
				`{apiVersion: apisix.apache.org/v2, kind: ApisixTls, metadata: {name: web, namespace: shop}, spec: {ingressClassName: apisix}}`,
			}, "IngressClass apisix: ApisixTls shop/web"},
		"a Gateway with a Consumer": {
			Objects{"Gateway.gateway.networking.k8s.io": {"apisix/apisix"}}, []string{
				`{apiVersion: apisix.apache.org/v1alpha1, kind: Consumer, metadata: {name: shop, namespace: shop}, spec: {gatewayRef: {name: apisix, namespace: apisix}}}`,
				`{apiVersion: apisix.apache.org/v1alpha1, kind: Consumer, metadata: {name: other, namespace: shop}, spec: {gatewayRef: {name: apisix}}}`,
			}, "Gateway apisix/apisix: Consumer shop/shop"},
		"a ClusterIssuer that a ListenerSet names": {
			Objects{"ClusterIssuer.cert-manager.io": {"strata"}}, []string{
				`{apiVersion: gateway.networking.k8s.io/v1, kind: ListenerSet, metadata: {name: web, namespace: shop, annotations: {cert-manager.io/cluster-issuer: strata}}}`,
			}, "ClusterIssuer strata: ListenerSet shop/web"},
		"a Gateway with UDP routes": {
			Objects{"Gateway.gateway.networking.k8s.io": {"traefik/traefik"}}, []string{
				`{apiVersion: gateway.networking.k8s.io/v1alpha2, kind: UDPRoute, metadata: {name: dns, namespace: shop}, spec: {parentRefs: [{name: traefik, namespace: traefik}]}}`,
			}, "Gateway traefik/traefik: UDPRoute shop/dns"},
		"a Gateway with listeners of others": {
			Objects{"Gateway.gateway.networking.k8s.io": {"traefik/traefik"}}, []string{
				`{apiVersion: gateway.networking.k8s.io/v1, kind: ListenerSet, metadata: {name: web, namespace: shop}, spec: {parentRef: {name: traefik, namespace: traefik}}}`,
				`{apiVersion: gateway.networking.k8s.io/v1, kind: ListenerSet, metadata: {name: other, namespace: shop}, spec: {parentRef: {name: traefik}}}`,
			}, "Gateway traefik/traefik: ListenerSet shop/web"},
		"a GatewayClass with Gateways": {
			Objects{"GatewayClass.gateway.networking.k8s.io": {"apisix"}}, []string{
				`{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: own, namespace: shop}, spec: {gatewayClassName: apisix}}`,
			}, "GatewayClass apisix: Gateway shop/own"},
		"a release's class with Ingresses": {Objects{KindRelease: {"traefik/traefik"}}, []string{
			`{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: traefik, annotations: {meta.helm.sh/release-name: traefik, meta.helm.sh/release-namespace: traefik}}}`,
			`{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: web, namespace: shop}, spec: {ingressClassName: traefik}}`,
		}, "IngressClass traefik: Ingress shop/web"},
		"Traefik's class with its own routes": {
			Objects{"IngressClass.networking.k8s.io": {"traefik"}}, []string{
				`{apiVersion: traefik.io/v1alpha1, kind: IngressRoute, metadata: {name: web, namespace: shop}}`,
				`{apiVersion: traefik.io/v1alpha1, kind: IngressRouteTCP, metadata: {name: db, namespace: shop, annotations: {kubernetes.io/ingress.class: traefik}}}`,
				`{apiVersion: traefik.io/v1alpha1, kind: IngressRouteUDP, metadata: {name: own, namespace: shop, annotations: {kubernetes.io/ingress.class: theirs}}}`,
			}, "IngressClass traefik: IngressRoute shop/web, IngressRouteTCP shop/db"},
		"APISIX's class with its own routes": {
			Objects{"IngressClass.networking.k8s.io": {"apisix"}}, []string{
				`{apiVersion: apisix.apache.org/v2, kind: ApisixRoute, metadata: {name: web, namespace: shop}, spec: {ingressClassName: apisix}}`,
				`{apiVersion: apisix.apache.org/v2, kind: ApisixRoute, metadata: {name: own, namespace: shop}, spec: {ingressClassName: theirs}}`,
				`{apiVersion: traefik.io/v1alpha1, kind: IngressRoute, metadata: {name: web, namespace: shop}}`,
			}, "IngressClass apisix: ApisixRoute shop/web"},
		"an address pool that others announce": {
			Objects{"IPAddressPool.metallb.io": {"metallb-system/default"}}, []string{
				`{apiVersion: metallb.io/v1beta1, kind: L2Advertisement, metadata: {name: theirs, namespace: metallb-system}, spec: {ipAddressPools: [default]}}`,
				`{apiVersion: metallb.io/v1beta1, kind: BGPAdvertisement, metadata: {name: theirs, namespace: metallb-system}, spec: {ipAddressPools: [other, default]}}`,
				`{apiVersion: metallb.io/v1beta1, kind: BGPAdvertisement, metadata: {name: own, namespace: metallb-system}, spec: {ipAddressPools: [other]}}`,
				`{apiVersion: metallb.io/v1beta1, kind: L2Advertisement, metadata: {name: elsewhere, namespace: shop}, spec: {ipAddressPools: [default]}}`,
			}, "IPAddressPool metallb-system/default: BGPAdvertisement metallb-system/theirs, L2Advertisement metallb-system/theirs"},
		"an address pool in use": {Objects{"IPAddressPool.metallb.io": {"metallb-system/default"}},
			[]string{
				`{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {type: LoadBalancer}, status: {loadBalancer: {ingress: [{ip: 10.0.0.2}]}}}`,
				`{apiVersion: v1, kind: Service, metadata: {name: theirs, namespace: shop, annotations: {metallb.io/ip-allocated-from-pool: own}}, spec: {type: LoadBalancer}, status: {loadBalancer: {ingress: [{ip: 10.9.0.2}]}}}`,
				`{apiVersion: v1, kind: Service, metadata: {name: db, namespace: shop}, spec: {type: ClusterIP}}`,
			}, "IPAddressPool metallb-system/default: Service shop/web"},
		"a bundle's definition with objects": {Objects{KindBundle: {"apisix"}}, []string{
			fmt.Sprintf(definition, `, labels: {strata.dev/crd-bundle: apisix}`), anvil,
		}, "CustomResourceDefinition anvils.acme.example.org: Anvil shop/big"},
		"a chart's definition with objects": {Objects{KindRelease: {"argocd/argocd"}}, []string{
			fmt.Sprintf(definition, `, annotations: {meta.helm.sh/release-name: argocd, meta.helm.sh/release-namespace: argocd}`), anvil,
		}, "CustomResourceDefinition anvils.acme.example.org: Anvil shop/big"},
		"a definition of a manifest": {Objects{kindDefinition: {"anvils.acme.example.org"}},
			[]string{fmt.Sprintf(definition, ""), anvil},
			"CustomResourceDefinition anvils.acme.example.org: Anvil shop/big"},
		"a claim of a manifest": {Objects{kindClaim: {"team-a/data"}}, []string{boundClaim},
			"PersistentVolumeClaim team-a/data: volume team-a/data (1Gi)"},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := holding(t, test.objects...)
			err := losses(t, Guard{}, cluster, test.leaves)
			require.ErrorContains(t, err, "\n- "+test.want+"\n")
			held, seen := ObserveHeld(t.Context(), cluster, test.leaves.left(nil), test.leaves)
			require.NoError(t, seen)
			require.Len(t, held, 1)
			assert.NoError(t, losses(t, Guard{Discard: Discard{Objects: []string{held[0].word()}}},
				cluster, test.leaves))
			assert.ErrorContains(t, err, "set strata:discard.objects to ["+held[0].word()+"]")
		})
	}
}

func TestCRDsThatStayInClusterAreNoLoss(t *testing.T) {
	cluster := holding(t,
		`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: anvils.acme.example.org, labels: {strata.dev/crd-bundle: apisix}, annotations: {helm.sh/resource-policy: keep, meta.helm.sh/release-name: argocd, meta.helm.sh/release-namespace: argocd}}, spec: {group: acme.example.org, names: {kind: Anvil}}}`,
		`{apiVersion: acme.example.org/v1, kind: Anvil, metadata: {name: big, namespace: shop}}`)
	assert.NoError(t, losses(t, Guard{}, cluster, Objects{KindRelease: {"argocd/argocd"}}),
		"the chart keeps it")
	assert.NoError(t, losses(t, Guard{}, cluster, Objects{KindKeptBundle: {"apisix"}}))
	assert.NoError(t, losses(t, Guard{Objects: Objects{KindKeptBundle: {"apisix"}}}, cluster,
		Objects{KindBundle: {"apisix"}}), "it is kept from now on")
}

// The error names a kind that cannot be listed, because such a kind may have objects.
func TestErrorNamesKindThatCannotBeListed(t *testing.T) {
	impatient(t)
	cluster := holding(t)
	cluster.Objects.(*fakedynamic.FakeDynamicClient).PrependReactor("list", "anvils",
		func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, errors.New("the server is currently unable to handle the request")
		})
	err := losses(t, Guard{}, cluster, team)
	require.ErrorContains(t, err, "unknown objects of Anvil.acme.example.org, which cannot be "+
		"listed (the server is currently unable to handle the request)")

	cluster = holding(t)
	cluster.Kinds.(*fakediscovery.FakeDiscovery).PrependReactor("get", "resource",
		func(action clienttesting.Action) (bool, runtime.Object, error) {
			asked, _ := action.(interface {
				GetResource() schema.GroupVersionResource
			})
			return asked.GetResource().Group == "", nil, errors.New("its server is down")
		})
	require.ErrorContains(t, losses(t, Guard{}, cluster, team), "its server is down")
}

// impatient shortens the pauses between retries to a server that does not answer.
func impatient(t *testing.T) {
	before := patience
	patience = wait.Backoff{Duration: time.Millisecond, Steps: 3}
	t.Cleanup(func() { patience = before })
}

// down is a discovery in which the server of one API group does not answer the first requests.
type down struct {
	discovery.DiscoveryInterface
	version string
	times   int
}

func (d *down) ServerResourcesForGroupVersion(version string) (*metav1.APIResourceList, error) {
	if version == d.version && d.times > 0 {
		d.times--
		return nil, errors.New("its server is down")
	}
	return d.DiscoveryInterface.ServerResourcesForGroupVersion(version)
}

// Kubernetes does not finish the deletion of a namespace whose objects it cannot list. So the
// deletion is refused, even with consent.
func TestNamespaceIsNotDeletedWhileAPIServiceIsDown(t *testing.T) {
	impatient(t)
	consents := Guard{Discard: Discard{Namespaces: []string{"team-a"}}}
	without := func(times int) Cluster {
		cluster := holding(t, foreign)
		cluster.Kinds = &down{cluster.Kinds, "metrics.k8s.io/v1beta1", times}
		return cluster
	}
	err := losses(t, consents, without(99), team)
	require.ErrorContains(t, err, "refused, nothing was deleted")
	require.ErrorContains(t, err, "an APIService does not answer: v1beta1.metrics.k8s.io (its server is down)")
	require.NoError(t, losses(t, consents, without(1), team), "its Pod was made anew")
	require.NoError(t, losses(t, consents, without(99), Objects{KindRelease: {"team-a/db"}}),
		"no namespace leaves")
}

func TestUnreadableClusterIsNotTreatedAsEmpty(t *testing.T) {
	fails := func() (Cluster, error) { return Cluster{}, errors.New("no route to host") }
	err := Guard{}.Losses(t.Context(), fails, team)
	require.ErrorContains(t, err, "refused, nothing was deleted: namespace team-a, Release "+
		"team-a/db leave, and what others keep in them cannot be read: no route to host")
	assert.NoError(t, Guard{}.Losses(t.Context(), fails, Objects{"Deployment.apps": {"shop/web"}}),
		"nothing leaves that could hold anything")
	assert.NoError(t, Guard{}.Losses(t.Context(), fails, nil), "a first run asks nothing")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, Guard{}.Losses(ctx, func() (Cluster, error) { return holding(t), nil }, team),
		"its time is up")
}

func TestProtectionRefusesDeletionDespiteConsent(t *testing.T) {
	guard := Guard{Protected: []string{"strata:k3s.protect"},
		Discard: Discard{Namespaces: []string{"team-a"}}}
	err := losses(t, guard, holding(t, foreign), team)
	require.ErrorContains(t, err, "set strata:k3s.protect to false")
	assert.NoError(t, losses(t, guard, holding(t), team), "others keep nothing there")
}

func TestDestroyOnExistingClusterRequiresConsentForForeignObjects(t *testing.T) {
	guard := Guard{Existing: true, Objects: team}
	before := func(guard Guard, gone bool, objects ...string) error {
		return guard.BeforeExisting(t.Context(),
			func() (Cluster, error) { return holding(t, objects...), nil }, gone)
	}
	require.NoError(t, before(guard, false))
	require.ErrorContains(t, before(guard, false, foreign),
		"teardown: refused, nothing was deleted: with it goes what others keep:\n- namespace "+
			"team-a: ConfigMap team-a/settings")
	assert.NoError(t, before(guard, true, foreign), "the cluster is gone")
	guard.Discard.Namespaces = []string{"team-a"}
	require.NoError(t, before(guard, false, foreign))
	guard.Protected = []string{"strata:cluster.protect"}
	require.ErrorContains(t, before(guard, false), "strata:cluster.protect; set false")

	err := Guard{}.BeforeExisting(t.Context(),
		func() (Cluster, error) { return Cluster{}, errors.New("no route to host") }, false)
	require.ErrorContains(t, err, "no route to host")
	assert.ErrorContains(t, err, "PULUMI_K8S_DELETE_UNREACHABLE=true")
}

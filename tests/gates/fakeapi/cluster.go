package fakeapi

import (
	"encoding/base64"
	"encoding/pem"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Token is the only credential that the API servers accept.
const Token = "fakeapi-token"

// Cluster is a set of objects and the API servers that serve them.
type Cluster struct {
	Servers []*Server
	t       testing.TB
	store   *store

	mu    sync.Mutex
	kinds map[string]map[string]Resource
	raw   map[string]http.HandlerFunc
}

// Raw sets the handler of a path that is no object, for example one behind the API's proxy.
func (c *Cluster) Raw(path string, handler http.HandlerFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.raw == nil {
		c.raw = map[string]http.HandlerFunc{}
	}
	c.raw[path] = handler
}

func (c *Cluster) rawAt(path string) http.HandlerFunc {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raw[path]
}

// Resource has the plural of a kind, and whether its objects are in namespaces.
type Resource struct {
	Plural     string
	Namespaced bool
}

// New starts a cluster with n API servers. The end of the test stops them.
func New(t testing.TB, n int) *Cluster {
	t.Helper()
	c := &Cluster{t: t, store: newStore(), kinds: map[string]map[string]Resource{}}
	for range n {
		c.Servers = append(c.Servers, newServer(t, c))
	}
	for _, kind := range builtIn {
		c.Serve(kind.groupVersion, kind.kind, kind.Resource)
	}
	return c
}

type servedKind struct {
	groupVersion, kind string
	Resource
}

var builtIn = []servedKind{
	{"v1", "Node", Resource{Plural: "nodes"}},
	{"v1", "Pod", Resource{Plural: "pods", Namespaced: true}},
	{"v1", "Event", Resource{Plural: "events", Namespaced: true}},
	{"v1", "Secret", Resource{Plural: "secrets", Namespaced: true}},
	{"v1", "Service", Resource{Plural: "services", Namespaced: true}},
	{"v1", "ServiceAccount", Resource{Plural: "serviceaccounts", Namespaced: true}},
	{"coordination.k8s.io/v1", "Lease", Resource{Plural: "leases", Namespaced: true}},
	{"discovery.k8s.io/v1", "EndpointSlice", Resource{Plural: "endpointslices", Namespaced: true}},
	{"apps/v1", "Deployment", Resource{Plural: "deployments", Namespaced: true}},
	{"apps/v1", "ReplicaSet", Resource{Plural: "replicasets", Namespaced: true}},
	{"apps/v1", "DaemonSet", Resource{Plural: "daemonsets", Namespaced: true}},
	{"apps/v1", "StatefulSet", Resource{Plural: "statefulsets", Namespaced: true}},
	{"apiextensions.k8s.io/v1", "CustomResourceDefinition",
		Resource{Plural: "customresourcedefinitions"}},
	{"apiregistration.k8s.io/v1", "APIService", Resource{Plural: "apiservices"}},
	{"admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration",
		Resource{Plural: "validatingwebhookconfigurations"}},
	{"admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration",
		Resource{Plural: "mutatingwebhookconfigurations"}},
}

// Serve makes the servers serve a kind, as after its CRD is established.
func (c *Cluster) Serve(groupVersion, kind string, resource Resource) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kinds[groupVersion] == nil {
		c.kinds[groupVersion] = map[string]Resource{}
	}
	c.kinds[groupVersion][kind] = resource
}

// served returns the kinds of a group version, and whether it is served.
func (c *Cluster) served(groupVersion string) (map[string]Resource, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kinds, found := c.kinds[groupVersion]
	return maps.Clone(kinds), found
}

// Put stores an object given as YAML, unchanged.
func (c *Cluster) Put(text string) {
	c.t.Helper()
	object, err := parse(text)
	require.NoError(c.t, err)
	c.PutObject(object)
}

// PutObject stores an object, unchanged.
func (c *Cluster) PutObject(object *unstructured.Unstructured) {
	c.t.Helper()
	c.store.put(c.collection(object), object)
}

// PutAll stores the objects of a YAML stream.
func (c *Cluster) PutAll(stream string) {
	c.t.Helper()
	for _, text := range strings.Split(stream, "\n---\n") {
		if strings.TrimSpace(text) != "" {
			c.Put(text)
		}
	}
}

// Delete removes an object.
func (c *Cluster) Delete(groupVersion, plural, namespace, name string) {
	c.store.remove(groupVersion+"/"+plural, namespace, name)
}

func (c *Cluster) collection(object *unstructured.Unstructured) string {
	c.t.Helper()
	kinds, _ := c.served(object.GetAPIVersion())
	resource, found := kinds[object.GetKind()]
	require.Truef(c.t, found, "kind %s %s is not served", object.GetAPIVersion(), object.GetKind())
	return object.GetAPIVersion() + "/" + resource.Plural
}

// URLs returns the URLs of the servers.
func (c *Cluster) URLs() []string {
	var urls []string
	for _, server := range c.Servers {
		urls = append(urls, server.URL())
	}
	return urls
}

// Kubeconfig returns a kubeconfig for the cluster.
func (c *Cluster) Kubeconfig() []byte {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
		Bytes: c.Servers[0].http.Certificate().Raw})
	return KubeconfigWith(c.t, c.URLs()[0], ca, Token)
}

// KubeconfigWith returns a kubeconfig with a URL, a CA and a token, each of which may be wrong.
func KubeconfigWith(t testing.TB, url string, ca []byte, token string) []byte {
	t.Helper()
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "default",
		"clusters": []any{map[string]any{"name": "default", "cluster": map[string]any{
			"server": url, "certificate-authority-data": base64.StdEncoding.EncodeToString(ca),
		}}},
		"users": []any{map[string]any{"name": "default", "user": map[string]any{"token": token}}},
		"contexts": []any{
			map[string]any{"name": "default",
				"context": map[string]any{"cluster": "default", "user": "default"}}},
	})
	require.NoError(t, err, "kubeconfig for %s", url)
	return text
}

package cluster

import (
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// Cluster is one API server. It is safe for concurrent use.
type Cluster struct {
	// Config is the client configuration, for the Helm SDK.
	Config *rest.Config
	// Dynamic reads and writes objects of any kind.
	Dynamic dynamic.Interface

	discovery discovery.CachedDiscoveryInterface
	mapper    *restmapper.DeferredDiscoveryRESTMapper

	mu sync.Mutex
	// announced are kinds whose definition the program will create: their
	// scope is known before the server serves them.
	announced map[schema.GroupKind]bool
}

// Connect makes the clients and asks the server for its version once; an error
// means that the server cannot be reached or refuses us.
func Connect(config *rest.Config) (*Cluster, error) {
	dynamicClient, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("making the client: %w", err)
	}
	plain, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("making the discovery client: %w", err)
	}
	if _, err := plain.ServerVersion(); err != nil {
		return nil, fmt.Errorf("unable to load schema information from the API server: %w", err)
	}
	cached := memory.NewMemCacheClient(plain)
	return &Cluster{
		Config: config, Dynamic: dynamicClient, discovery: cached,
		mapper:    restmapper.NewDeferredDiscoveryRESTMapper(cached),
		announced: map[schema.GroupKind]bool{},
	}, nil
}

// Discovery is the cached discovery client.
func (c *Cluster) Discovery() discovery.CachedDiscoveryInterface { return c.discovery }

// Mapper maps kinds to resources. A kind that is not in its cache makes it
// discover again.
func (c *Cluster) Mapper() meta.ResettableRESTMapper { return c.mapper }

// Reset forgets what was discovered, after a definition was created.
func (c *Cluster) Reset() { c.mapper.Reset() }

// Client returns the client for objects like obj, in its namespace.
func (c *Cluster) Client(obj *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	mapping, err := c.mapping(obj.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	resource := c.Dynamic.Resource(mapping.Resource)
	if mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		return resource, nil
	}
	namespace := obj.GetNamespace()
	if namespace == "" {
		namespace = "default"
	}
	return resource.Namespace(namespace), nil
}

// Serves says whether the server knows the kind.
func (c *Cluster) Serves(kind schema.GroupVersionKind) bool {
	_, err := c.mapping(kind)
	return err == nil
}

// mapping discovers once more for a kind that it does not find: the definition
// may have come from somebody else.
func (c *Cluster) mapping(kind schema.GroupVersionKind) (*meta.RESTMapping, error) {
	mapping, err := c.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if !meta.IsNoMatchError(err) {
		return mapping, err
	}
	c.mapper.Reset()
	return c.mapper.RESTMapping(kind.GroupKind(), kind.Version)
}

// Namespaced says whether objects of the kind live in a namespace. A kind that
// nobody knows yet is taken as namespaced.
func (c *Cluster) Namespaced(kind schema.GroupVersionKind) (bool, error) {
	mapping, err := c.mapping(kind)
	if err == nil {
		return mapping.Scope.Name() == meta.RESTScopeNameNamespace, nil
	}
	if !meta.IsNoMatchError(err) {
		return false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	namespaced, known := c.announced[kind.GroupKind()]
	return namespaced || !known, nil
}

// Announce remembers the scope of the kind that a CustomResourceDefinition
// will define.
func (c *Cluster) Announce(definition *unstructured.Unstructured) {
	group, _, _ := unstructured.NestedString(definition.Object, "spec", "group")
	kind, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "kind")
	scope, _, _ := unstructured.NestedString(definition.Object, "spec", "scope")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.announced[schema.GroupKind{Group: group, Kind: kind}] = scope == "Namespaced"
}

// IsDefinition says whether obj is a CustomResourceDefinition.
func IsDefinition(obj *unstructured.Unstructured) bool {
	return obj.GetKind() == "CustomResourceDefinition" &&
		obj.GroupVersionKind().Group == "apiextensions.k8s.io"
}

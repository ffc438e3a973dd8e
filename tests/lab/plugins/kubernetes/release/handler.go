package release

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/provider"
	"helm.sh/helm/v3/pkg/action"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"strata/tests/lab/plugins/kubernetes/cluster"
)

// Handler serves the Release resource for one configured provider.
type Handler struct {
	// ctx ends when the engine cancels.
	ctx         context.Context
	host        *provider.HostClient
	cluster     *cluster.Cluster
	unreachable string
	namespace   string
}

// NewHandler returns a handler; the cluster is nil while unreachable says why.
func NewHandler(
	ctx context.Context, host *provider.HostClient, c *cluster.Cluster, unreachable, namespace string,
) *Handler {
	return &Handler{ctx: ctx, host: host, cluster: c, unreachable: unreachable, namespace: namespace}
}

// configuration is the Helm SDK's, for a release in a namespace.
func (h *Handler) configuration(namespace string) (*action.Configuration, error) {
	configuration, quiet := &action.Configuration{}, func(string, ...any) {}
	return configuration, configuration.Init(getter{h.cluster, namespace}, namespace, "secret", quiet)
}

// getter hands our clients to Helm; objects without a namespace go into the
// release's.
type getter struct {
	cluster   *cluster.Cluster
	namespace string
}

func (g getter) ToRESTConfig() (*rest.Config, error) { return rest.CopyConfig(g.cluster.Config), nil }

func (g getter) ToDiscoveryClient() (discovery.CachedDiscoveryInterface, error) {
	return g.cluster.Discovery(), nil
}

func (g getter) ToRESTMapper() (meta.RESTMapper, error) { return g.cluster.Mapper(), nil }

func (g getter) ToRawKubeConfigLoader() clientcmd.ClientConfig {
	return clientcmd.NewDefaultClientConfig(*api.NewConfig(), &clientcmd.ConfigOverrides{
		Context: api.Context{Namespace: g.namespace},
	})
}

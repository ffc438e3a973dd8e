package server

import (
	"context"
	"fmt"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"strata/tests/lab/plugins/kubernetes/cluster"
	"strata/tests/lab/plugins/kubernetes/release"
)

// Configure connects. Whether the cluster can be reached is found out here and
// never again: an unreachable one fails every later operation.
func (s *Server) Configure(
	_ context.Context, req *pulumirpc.ConfigureRequest,
) (*pulumirpc.ConfigureResponse, error) {
	variables := req.GetVariables()
	s.settings = readSettings(variables)
	s.settings.secrets = req.GetAcceptSecrets()
	config, err := s.clientConfig(variables)
	if err == nil {
		s.cluster, err = cluster.Connect(config)
	}
	if err != nil {
		s.cluster, s.unreachable = nil, err.Error()
	}
	s.releases = release.NewHandler(s.ctx, s.host, s.cluster, s.unreachable, s.settings.namespace)
	return &pulumirpc.ConfigureResponse{
		AcceptSecrets: true, SupportsPreview: true, AcceptResources: false, AcceptOutputs: false,
	}, nil
}

// clientConfig also sets the default namespace.
func (s *Server) clientConfig(variables map[string]string) (*rest.Config, error) {
	s.settings.namespace = "default"
	parsed, err := clientcmd.Load([]byte(variables[prefix+"kubeconfig"]))
	if err != nil {
		return nil, fmt.Errorf("failed to parse kubeconfig data in `%skubeconfig`- %w", prefix, err)
	}
	client := clientcmd.NewDefaultClientConfig(*parsed, &clientcmd.ConfigOverrides{
		Context: api.Context{Namespace: variables[prefix+"namespace"]},
	})
	if namespace, _, err := client.Namespace(); err == nil {
		s.settings.namespace = namespace
	}
	config, err := client.ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("unable to load Kubernetes client configuration from kubeconfig file: %w", err)
	}
	// Upstream raises client-go's.
	config.QPS, config.Burst = 50, 120
	config.WarningHandler = rest.NoWarnings{}
	return config, nil
}

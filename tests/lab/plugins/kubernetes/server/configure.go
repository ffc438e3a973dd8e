package server

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"strata/tests/lab/plugins/kubernetes/cluster"
	"strata/tests/lab/plugins/kubernetes/release"
)

const (
	defaultQPS   = 50
	defaultBurst = 120
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
	if s.settings.helm, err = release.ReadSettings(variables[prefix+"helmReleaseSettings"]); err != nil {
		return nil, err
	}
	s.releases = release.NewHandler(s.ctx, s.host, s.cluster, s.unreachable, s.settings.namespace, s.settings.helm)
	return &pulumirpc.ConfigureResponse{
		AcceptSecrets: true, SupportsPreview: true, AcceptResources: false, AcceptOutputs: false,
	}, nil
}

// clientConfig also sets the default namespace.
func (s *Server) clientConfig(variables map[string]string) (*rest.Config, error) {
	overrides := &clientcmd.ConfigOverrides{
		CurrentContext: variables[prefix+"context"],
		Context: api.Context{
			Cluster: variables[prefix+"cluster"], Namespace: variables[prefix+"namespace"],
		},
	}
	s.settings.namespace = "default"
	var client clientcmd.ClientConfig
	if text := variables[prefix+"kubeconfig"]; text != "" {
		config, err := parseKubeconfig(text)
		if err != nil {
			return nil, fmt.Errorf("failed to parse kubeconfig data in `%skubeconfig`- %w", prefix, err)
		}
		client = clientcmd.NewDefaultClientConfig(*config, overrides)
	} else {
		rules := clientcmd.NewDefaultClientConfigLoadingRules()
		client = clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
	}
	if namespace, _, err := client.Namespace(); err == nil {
		s.settings.namespace = namespace
	}
	config, err := client.ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("unable to load Kubernetes client configuration from kubeconfig file: %w", err)
	}
	return config, tune(config)
}

// tune sets the limits that upstream raises over client-go's.
func tune(config *rest.Config) error {
	config.QPS, config.Burst = defaultQPS, defaultBurst
	config.WarningHandler = rest.NoWarnings{}
	if value := os.Getenv("PULUMI_K8S_CLIENT_QPS"); value != "" {
		qps, err := strconv.ParseFloat(value, 32)
		if err != nil {
			return fmt.Errorf("invalid value specified for PULUMI_K8S_CLIENT_QPS: %w", err)
		}
		config.QPS = float32(qps)
	}
	if value := os.Getenv("PULUMI_K8S_CLIENT_BURST"); value != "" {
		burst, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("invalid value specified for PULUMI_K8S_CLIENT_BURST: %w", err)
		}
		config.Burst = burst
	}
	if value := os.Getenv("PULUMI_K8S_CLIENT_TIMEOUT"); value != "" {
		seconds, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("invalid value specified for PULUMI_K8S_CLIENT_TIMEOUT: %w", err)
		}
		config.Timeout = time.Duration(seconds) * time.Second
	}
	return nil
}

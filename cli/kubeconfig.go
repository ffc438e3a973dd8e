package cli

import (
	"fmt"
	"os"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"strata/internal/kube/apiserver"
	"strata/internal/pulumi/self"
)

// restConfig returns the client configuration of the cluster in STRATA_KUBECONFIG.
func restConfig() (*rest.Config, error) {
	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(os.Getenv(self.Kubeconfig)))
	if err != nil {
		return nil, fmt.Errorf("STRATA_KUBECONFIG: %w", err)
	}
	// The client's default, five requests a second, made a bundle of a dozen definitions take three
	// seconds longer. A subcommand makes few requests, and the API server protects itself.
	config.QPS = -1
	return config, nil
}

// dynamicClient reaches objects of every kind in the cluster of STRATA_KUBECONFIG.
func dynamicClient(subcommand string) (dynamic.Interface, error) {
	config, err := restConfig()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", subcommand, err)
	}
	return dynamic.NewForConfig(config)
}

// anyServer reaches the cluster of STRATA_KUBECONFIG through whichever of the servers, as
// https://address:port, answers.
func anyServer(servers []string) (kubernetes.Interface, error) {
	config, err := serversConfig(servers)
	if err != nil {
		return nil, err
	}
	return kubernetes.NewForConfig(config)
}

// serversConfig is restConfig, by way of whichever of the servers answers.
func serversConfig(servers []string) (*rest.Config, error) {
	config, err := restConfig()
	if err != nil {
		return nil, err
	}
	addresses, err := apiserver.Addresses(servers)
	if err != nil {
		return nil, err
	}
	return apiserver.Failover(config, addresses), nil
}

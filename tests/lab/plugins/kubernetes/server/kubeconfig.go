package server

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// activeCluster is the cluster that the kubeconfig argument selects; nil if there
// is none.
func activeCluster(arguments resource.PropertyMap) (*api.Cluster, error) {
	value := arguments["kubeconfig"]
	if value.IsSecret() {
		value = value.SecretValue().Element
	}
	if !value.IsString() {
		return nil, nil
	}
	config, err := clientcmd.Load([]byte(value.StringValue()))
	if err != nil {
		return nil, err
	}
	context := config.Contexts[config.CurrentContext]
	if context == nil {
		return nil, nil
	}
	return config.Clusters[context.Cluster], nil
}

package server

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// parseKubeconfig reads a kubeconfig from a path or from its own text.
func parseKubeconfig(pathOrText string) (*api.Config, error) {
	if pathOrText == "" {
		return api.NewConfig(), nil
	}
	name := pathOrText
	if rest, ok := strings.CutPrefix(name, "~"); ok && (rest == "" || rest[0] == '/') {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, err
		}
		name = filepath.Join(home, rest)
	}
	text := []byte(pathOrText)
	if _, err := os.Stat(name); err == nil {
		if text, err = os.ReadFile(name); err != nil {
			return nil, err
		}
	}
	return clientcmd.Load(text)
}

// kubeconfigOf reads the kubeconfig argument, a string or an object.
func kubeconfigOf(arguments resource.PropertyMap) (*api.Config, error) {
	value := plain(arguments["kubeconfig"])
	switch {
	case value.IsString():
		return parseKubeconfig(value.StringValue())
	case value.IsObject():
		text, err := json.Marshal(value.ObjectValue().Mappable())
		if err != nil {
			return nil, fmt.Errorf("encoding the kubeconfig: %w", err)
		}
		return parseKubeconfig(string(text))
	default:
		return api.NewConfig(), nil
	}
}

// activeCluster is the cluster that the arguments select; nil if there is none.
func activeCluster(config *api.Config, arguments resource.PropertyMap) *api.Cluster {
	name := config.CurrentContext
	if value := plain(arguments["context"]); value.IsString() {
		name = value.StringValue()
	}
	context := config.Contexts[name]
	if context == nil {
		return nil
	}
	if value := plain(arguments["cluster"]); value.IsString() {
		return config.Clusters[value.StringValue()]
	}
	return config.Clusters[context.Cluster]
}

func plain(value resource.PropertyValue) resource.PropertyValue {
	if value.IsSecret() {
		return value.SecretValue().Element
	}
	return value
}

package kubeconfig

import (
	"fmt"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"strata/internal/kube/apiserver"
)

// Rename returns the current context of a kubeconfig, with the context, its cluster and its user
// renamed to name.
func Rename(text []byte, name string) (*clientcmdapi.Config, error) {
	raw, err := clientcmd.Load(text)
	if err != nil {
		return nil, apiserver.Redact(err)
	}
	context, known := raw.Contexts[raw.CurrentContext]
	if !known {
		return nil, &ContextError{Name: raw.CurrentContext}
	}
	named := clientcmdapi.NewConfig()
	named.CurrentContext = name
	named.Clusters[name] = raw.Clusters[context.Cluster]
	named.AuthInfos[name] = raw.AuthInfos[context.AuthInfo]
	named.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	if err := clientcmd.ConfirmUsable(*named, name); err != nil {
		return nil, apiserver.Redact(err)
	}
	return named, nil
}

// Merge adds the result of Rename to kubectl's kubeconfig files, and makes its context the current
// one. It returns the name of the previous current context, and the file into which the new context
// is written. It replaces an existing cluster of the same name only if the CA is the same, and
// fails otherwise.
func Merge(added *clientcmdapi.Config) (before, file string, err error) {
	options := clientcmd.NewDefaultPathOptions()
	into, err := options.GetStartingConfig()
	if err != nil {
		return "", "", apiserver.Redact(err)
	}
	name := added.CurrentContext
	cluster := added.Clusters[name]
	if there := into.Clusters[name]; there != nil &&
		string(there.CertificateAuthorityData) != string(cluster.CertificateAuthorityData) {
		return "", "", fmt.Errorf("cluster %s of %s is another one, at %s; give the context "+
			"another name with --context", name, options.GetDefaultFilename(), there.Server)
	}
	before, into.CurrentContext = into.CurrentContext, name
	into.Clusters[name] = cluster
	into.AuthInfos[name] = added.AuthInfos[name]
	into.Contexts[name] = added.Contexts[name]
	return before, options.GetDefaultFilename(), clientcmd.ModifyConfig(options, *into, true)
}

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
// is written. It renews the login of a context that it added before, and fails if a context,
// cluster or user of the same name belongs to another cluster or login.
func Merge(added *clientcmdapi.Config) (before, file string, err error) {
	options := clientcmd.NewDefaultPathOptions()
	into, err := options.GetStartingConfig()
	if err != nil {
		return "", "", apiserver.Redact(err)
	}
	name := added.CurrentContext
	if kind := findTaken(into, added); kind != "" {
		return "", "", fmt.Errorf("%s %s of %s is another one; give the context another name "+
			"with --context", kind, name, options.GetDefaultFilename())
	}
	before, into.CurrentContext = into.CurrentContext, name
	into.Clusters[name] = added.Clusters[name]
	into.AuthInfos[name] = added.AuthInfos[name]
	if into.Contexts[name] == nil { // Otherwise it may have a namespace.
		into.Contexts[name] = added.Contexts[name]
	}
	return before, options.GetDefaultFilename(), clientcmd.ModifyConfig(options, *into, true)
}

// findTaken returns the kind of the object in a kubeconfig that has the name of the added context
// but belongs to another cluster or login; empty if there is none.
func findTaken(into, added *clientcmdapi.Config) string {
	name := added.CurrentContext
	cluster, context := into.Clusters[name], into.Contexts[name]
	switch {
	case cluster != nil && identity(cluster) != identity(added.Clusters[name]):
		return "cluster"
	case context != nil && (context.Cluster != name || context.AuthInfo != name):
		return "context"
	case cluster == nil && into.AuthInfos[name] != nil:
		return "user"
	}
	for _, other := range into.Contexts {
		if other.AuthInfo == name && other.Cluster != name {
			return "user"
		}
	}
	return ""
}

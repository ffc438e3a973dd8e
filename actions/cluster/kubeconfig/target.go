package kubeconfig

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"strata/internal/files/digest"
)

// Variable is the environment variable that lists the paths of kubeconfigs. It counts if nothing
// else names one
// (https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig).
const Variable = "KUBECONFIG"

// Target is one cluster, with the credentials to ask it.
type Target struct {
	// Server is the API server's URL.
	Server string
	// Identity is 16 hex digits that depend on the cluster's CA only, whatever address, user or
	// credential the kubeconfig has. Without a CA they depend on the URL. The gates run again when
	// it changes. A CA can be rotated, so a Place tells clusters apart.
	Identity string
	// Text is a kubeconfig with this context alone. It contains the content of every file that the
	// context named, except a tokenFile, whose content is meant to change. Secret.
	Text []byte
}

// ContextError reports that a context does not exist.
type ContextError struct {
	// Name is the requested context; empty for the current context of a file that has none.
	Name string
	// Known are the existing contexts, sorted.
	Known []string
}

// Error implements error.
func (e *ContextError) Error() string {
	if e.Name == "" {
		return "has no current context; " + e.has()
	}
	return "has no context " + e.Name + "; " + e.has()
}

func (e *ContextError) has() string {
	if len(e.Known) == 0 {
		return "it has none"
	}
	return "it has " + strings.Join(e.Known, ", ")
}

// ProviderError reports that a user logs in by an auth-provider. Kubernetes' clients removed those
// of clouds in 1.26. An exec plugin replaces them.
type ProviderError struct{ User, Provider string }

// Error implements error.
func (e *ProviderError) Error() string {
	return fmt.Sprintf("user %s: auth-provider %s is not supported", e.User, e.Provider)
}

// DefaultPaths returns the files to read if the configuration names none: the files of KUBECONFIG,
// or ~/.kube/config.
func DefaultPaths(getenv func(string) string) ([]string, error) {
	if list := getenv(Variable); list != "" {
		return slices.DeleteFunc(filepath.SplitList(list),
			func(path string) bool { return path == "" }), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	return []string{filepath.Join(home, clientcmd.RecommendedHomeDir,
		clientcmd.RecommendedFileName)}, nil
}

// Read finds a context in kubeconfigs. As with kubectl, the first file that sets a value wins. An
// empty context means the current one. Missing files are skipped as long as one exists. The error
// is a *ContextError, fs.ErrNotExist, or describes a fault of the context.
func Read(paths []string, context string) (Target, error) {
	if err := oneIsThere(paths); err != nil {
		return Target{}, err
	}
	raw, err := (&clientcmd.ClientConfigLoadingRules{Precedence: paths}).Load()
	if err != nil {
		return Target{}, err
	}
	if context != "" {
		raw.CurrentContext = context
	}
	return current(raw)
}

// Parse finds the current context in the text of a kubeconfig. It fails as Read does.
func Parse(text []byte) (Target, error) {
	raw, err := clientcmd.Load(text)
	if err != nil {
		return Target{}, err
	}
	return current(raw)
}

// current returns the current context, if it can be used.
func current(raw *clientcmdapi.Config) (Target, error) {
	if _, known := raw.Contexts[raw.CurrentContext]; !known {
		return Target{}, &ContextError{Name: raw.CurrentContext,
			Known: slices.Sorted(maps.Keys(raw.Contexts))}
	}
	if err := clientcmd.ConfirmUsable(*raw, raw.CurrentContext); err != nil {
		return Target{}, fmt.Errorf("context %s: %w", raw.CurrentContext, err)
	}
	return alone(raw)
}

// oneIsThere returns the first file's error if no file can be read.
func oneIsThere(paths []string) error {
	var first error
	for _, path := range paths {
		_, err := os.Stat(path)
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	if first == nil {
		first = errors.New("no file is named")
	}
	return first
}

// alone returns the kubeconfig with the current context only, and replaces paths of files by their
// content.
func alone(raw *clientcmdapi.Config) (Target, error) {
	name := raw.CurrentContext
	if err := clientcmdapi.MinifyConfig(raw); err != nil {
		return Target{}, fmt.Errorf("context %s: %w", name, err)
	}
	if err := clientcmdapi.FlattenConfig(raw); err != nil {
		return Target{}, fmt.Errorf("context %s: %w", name, err)
	}
	forget(raw)
	if user := raw.Contexts[name].AuthInfo; raw.AuthInfos[user] != nil &&
		raw.AuthInfos[user].AuthProvider != nil {
		return Target{}, &ProviderError{user, raw.AuthInfos[user].AuthProvider.Name}
	}
	cluster := raw.Clusters[raw.Contexts[name].Cluster]
	address, err := url.Parse(cluster.Server)
	switch {
	case err != nil || address.Scheme != "https" || address.Host == "":
		return Target{}, fmt.Errorf("context %s: server %q is not https://address:port", name,
			cluster.Server)
	case cluster.InsecureSkipTLSVerify:
		return Target{}, fmt.Errorf("context %s: insecure-skip-tls-verify is set, with which it "+
			"cannot be told whose cluster answers; set certificate-authority-data", name)
	}
	text, err := clientcmd.Write(*raw)
	if err != nil {
		return Target{}, fmt.Errorf("context %s: %w", name, err)
	}
	return Target{Server: strings.TrimSuffix(cluster.Server, "/"),
		Identity: identity(cluster, address), Text: text}, nil
}

// execExtension is the name of a cluster's settings for the exec plugin that logs in there
// (client-go tools/clientcmd/client_config.go, clusterExtensionKey).
const execExtension = "client.authentication.k8s.io/exec"

// forget removes settings that describe neither the cluster nor the login. Notes of tools, such as
// the time of minikube's last start, would look like a changed credential. The namespace is for
// users who type commands; the program names the namespace of each object.
func forget(raw *clientcmdapi.Config) {
	raw.Extensions, raw.Preferences = nil, clientcmdapi.Preferences{} // an old file may still have preferences
	for _, cluster := range raw.Clusters {
		maps.DeleteFunc(cluster.Extensions,
			func(name string, _ runtime.Object) bool { return name != execExtension })
	}
	for _, user := range raw.AuthInfos {
		user.Extensions = nil
	}
	for _, context := range raw.Contexts {
		context.Extensions, context.Namespace = nil, ""
	}
}

// identity tells clusters apart. Several clusters may share a CA and differ by the URL's path, for
// example behind Rancher's proxy.
func identity(cluster *clientcmdapi.Cluster, address *url.URL) string {
	of := string(cluster.CertificateAuthorityData) + "\x00" + strings.TrimSuffix(address.Path, "/")
	if len(cluster.CertificateAuthorityData) == 0 {
		of = cluster.Server
	}
	return digest.Short([]byte(of))
}

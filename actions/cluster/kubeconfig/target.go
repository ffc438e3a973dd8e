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

// Variable names the kubeconfigs, as a list of paths, when nothing else does
// (https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig).
const Variable = "KUBECONFIG"

// Target is one cluster, with the credentials to ask it.
type Target struct {
	// Server is the API server's URL.
	Server string
	// Identity is 16 hex digits of the cluster's CA, whatever address, user or credential the
	// kubeconfig has; of the URL where it has no CA. With another one the gates look anew. A CA can
	// be rotated, so a Place tells clusters apart.
	Identity string
	// Text is a kubeconfig with this context alone and everything that its paths led to, but for a
	// tokenFile, whose content is meant to change. Secret.
	Text []byte
}

// ContextError says that a context is not there.
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

// ProviderError says that a user logs in by an auth-provider. Those of clouds were taken out of
// Kubernetes' clients in 1.26, and a plugin of exec does the same.
type ProviderError struct{ User, Provider string }

// Error implements error.
func (e *ProviderError) Error() string {
	return fmt.Sprintf("user %s: auth-provider %s is not supported", e.User, e.Provider)
}

// DefaultPaths returns the files that are read if none is named: those of KUBECONFIG, or
// ~/.kube/config.
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

// Read finds a context in kubeconfigs, of which the first that sets a value wins, as with kubectl.
// An empty context means the current one. Missing files are skipped as long as one exists. Errors:
// a *ContextError, fs.ErrNotExist, or the context's fault.
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

// Parse finds the current context in the text of a kubeconfig. Its errors are those of Read.
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

// oneIsThere returns the first file's error when none can be read.
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

// alone returns the current context without the others, with the content of files in place of their
// paths.
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

// forget removes settings that do not describe the cluster or the login. Notes of tools, such as
// the time of minikube's last start, would look like a changed credential. The namespace is for
// users who type commands; the program names each object's.
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

// identity tells clusters apart. Behind one CA there may be several, by path (Rancher's proxy, for
// one).
func identity(cluster *clientcmdapi.Cluster, address *url.URL) string {
	of := string(cluster.CertificateAuthorityData) + "\x00" + strings.TrimSuffix(address.Path, "/")
	if len(cluster.CertificateAuthorityData) == 0 {
		of = cluster.Server
	}
	return digest.Short([]byte(of))
}

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
	"strata/internal/kube/apiserver"
)

// Variable is the environment variable with the paths of kubeconfigs. It is used if the
// configuration names no file
// (https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig).
const Variable = "KUBECONFIG"

// Target describes one cluster and how to log in.
type Target struct {
	// Server is the API server's URL.
	Server string
	// Identity is a digest of the cluster's CA and the URL's path in 16 hex digits, or of the whole
	// URL if there is no CA. Other addresses and users of the same cluster have the same Identity.
	// The gates run again when it changes. A CA may be rotated, so a changed Identity does not
	// prove another cluster; a changed Place.UID does.
	Identity string
	// Text is a kubeconfig with only this context. The files that it refers to are inlined, except
	// a tokenFile, whose content changes over time. Secret.
	Text []byte
}

// ContextError reports that a context does not exist.
type ContextError struct {
	// Name is the requested context; "" if a file has no current context.
	Name string
	// Known lists the existing contexts, sorted.
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

// DefaultPaths returns the kubeconfigs to read if the configuration names none: those in
// KUBECONFIG, or ~/.kube/config.
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

// Read returns a context of kubeconfigs; "" means the current context. As with kubectl, the first
// file that sets a value wins. Missing files are skipped if at least one exists. The error is a
// *ContextError, fs.ErrNotExist, or describes a fault of the context.
func Read(paths []string, context string) (Target, error) {
	if err := oneIsThere(paths); err != nil {
		return Target{}, err
	}
	raw, err := (&clientcmd.ClientConfigLoadingRules{Precedence: paths}).Load()
	if err != nil {
		return Target{}, apiserver.Redact(err)
	}
	if context != "" {
		raw.CurrentContext = context
	}
	return current(raw)
}

// Parse returns the current context of a kubeconfig's text. Its errors are those of Read.
func Parse(text []byte) (Target, error) {
	raw, err := clientcmd.Load(text)
	if err != nil {
		return Target{}, apiserver.Redact(err)
	}
	return current(raw)
}

// current returns the current context, or an error if it does not exist or cannot be used.
func current(raw *clientcmdapi.Config) (Target, error) {
	if _, known := raw.Contexts[raw.CurrentContext]; !known {
		return Target{}, &ContextError{Name: raw.CurrentContext,
			Known: slices.Sorted(maps.Keys(raw.Contexts))}
	}
	if err := clientcmd.ConfirmUsable(*raw, raw.CurrentContext); err != nil {
		return Target{}, fmt.Errorf("context %s: %w", raw.CurrentContext, apiserver.Redact(err))
	}
	return alone(raw)
}

// oneIsThere returns nil if at least one file exists, otherwise the first file's error.
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

// alone returns the Target of the current context, with referenced files inlined. It fails for a
// login that checkLogin refuses, a server that is not https, and insecure-skip-tls-verify.
func alone(raw *clientcmdapi.Config) (Target, error) {
	name := raw.CurrentContext
	if err := clientcmdapi.MinifyConfig(raw); err != nil {
		return Target{}, fmt.Errorf("context %s: %w", name, err)
	}
	if err := clientcmdapi.FlattenConfig(raw); err != nil {
		return Target{}, fmt.Errorf("context %s: %w", name, apiserver.Redact(err))
	}
	forget(raw)
	user := raw.Contexts[name].AuthInfo
	if err := checkLogin(user, raw.AuthInfos[user]); err != nil {
		return Target{}, err
	}
	cluster := raw.Clusters[raw.Contexts[name].Cluster]
	address, err := url.Parse(cluster.Server)
	valid := err == nil && address.Scheme == "https" && address.Host != "" && address.User == nil
	switch {
	case !valid && strings.Contains(cluster.Server, "@"):
		return Target{}, fmt.Errorf("context %s: server has a user or password in its URL; write "+
			"https://address:port, and username and password of the context's user", name)
	case !valid:
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
	return Target{Server: "https://" + address.Host + strings.TrimSuffix(address.EscapedPath(), "/"),
		Identity: identity(cluster), Text: text}, nil
}

// execExtension is the name of the extension with a cluster's settings for exec plugins (client-go
// tools/clientcmd/client_config.go, clusterExtensionKey).
const execExtension = "client.authentication.k8s.io/exec"

// forget removes settings that affect neither the cluster nor the login, so that their change does
// not count as a changed credential: the extensions of tools (minikube writes its last start) and
// the default namespace, because the program sets a namespace for each object.
func forget(raw *clientcmdapi.Config) {
	raw.Extensions, raw.Preferences = nil, clientcmdapi.Preferences{} // old files may have preferences
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

// identity returns the Identity of a cluster. It includes the URL's path, because several clusters
// may share a CA and differ only there, for example behind Rancher's proxy.
func identity(cluster *clientcmdapi.Cluster) string {
	of := cluster.Server
	address, err := url.Parse(of)
	if ca := cluster.CertificateAuthorityData; err == nil && len(ca) > 0 {
		of = string(ca) + "\x00" + strings.TrimSuffix(address.Path, "/")
	}
	return digest.Short([]byte(of))
}

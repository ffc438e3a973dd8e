package apiserver

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"strata/internal/ssh/tunnel"
)

// Access describes how to reach a cluster's API. Every client outside the gates is built from it.
type Access struct {
	// Kubeconfig is the text of a kubeconfig: credentials, CA and server.
	Kubeconfig []byte
	// Servers, as https://address:port, replace the kubeconfig's server: the first that takes a
	// connection is used. Default: the kubeconfig's, whose address may have a path.
	Servers []string
	// Tunnel leads to the servers, for a kubeconfig without a proxy. Default: none.
	Tunnel tunnel.Spec
	// Timeout bounds each request. Default: the caller's context alone.
	Timeout time.Duration
}

// Config returns the configuration of a client. The error does not quote the kubeconfig.
func (a Access) Config() (*rest.Config, error) {
	config, err := clientcmd.RESTConfigFromKubeConfig(a.Kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("kubeconfig: %w", Redact(err))
	}
	a.Tunnel.Use(config)
	// The client's default of five requests a second delays a bundle of a dozen CRDs by three
	// seconds. A command makes few requests, and the API server protects itself.
	config.QPS, config.Timeout = -1, a.Timeout
	if len(a.Servers) == 0 {
		return config, nil
	}
	addresses, err := Addresses(a.Servers)
	if err != nil {
		return nil, err
	}
	return Failover(config, addresses), nil
}

// quotation matches the end of a client-go error from where it quotes a kubeconfig: the members of a
// list with a duplicate name, a proxy's URL, a YAML alias, or a YAML value of a wrong type.
var quotation = regexp.MustCompile(
	`(?s)( in list|'proxy-url'|unknown anchor|cannot decode !!\w+)[ :].*`)

// Redact returns an error of client-go about a kubeconfig, without the part that may quote a secret.
// The result wraps no other error.
func Redact(err error) error { return errors.New(quotation.ReplaceAllString(err.Error(), "$1")) }

// Client returns a client of Kubernetes' own kinds.
func (a Access) Client() (kubernetes.Interface, error) {
	config, err := a.Config()
	if err != nil {
		return nil, err
	}
	return kubernetes.NewForConfig(config)
}

// Objects returns a client of objects of every kind.
func (a Access) Objects() (dynamic.Interface, error) {
	config, err := a.Config()
	if err != nil {
		return nil, err
	}
	return dynamic.NewForConfig(config)
}

// Kinds returns the clients of objects of every kind, and a client of Kubernetes' own kinds.
func (a Access) Kinds() (*Kinds, kubernetes.Interface, error) {
	objects, err := a.Objects()
	if err != nil {
		return nil, nil, err
	}
	client, err := a.Client()
	if err != nil {
		return nil, nil, err
	}
	return NewKinds(objects, client.Discovery()), client, nil
}

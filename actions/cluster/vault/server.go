package vault

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/hashicorp/vault/api"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"strata/internal/kube/apiserver"
)

// Server locates a Vault server in the cluster.
type Server struct {
	// Namespace and Pod name Vault's Pod. Port is the port of its API.
	Namespace string `json:"namespace"`
	Pod       string `json:"pod"`
	Port      int    `json:"port"`
	// Name is the server name in the server's certificate. CA is the CA that signed it, in PEM.
	Name string `json:"name"`
	CA   string `json:"ca"`
}

// podPause is the time between two checks of a Pod that does not run yet.
const podPause = 500 * time.Millisecond

// Dial waits until the server answers through a forwarded port. It returns a client that trusts
// only the server's CA, and a function that stops the forwarding. progress gets a line for each
// reason to wait. Dial fails at once if waiting is useless, otherwise when ctx is done. The error
// describes the Pod and has the end of its log.
func Dial(
	ctx context.Context, access apiserver.Access, server Server, progress io.Writer,
) (*api.Client, func(), error) {
	config, err := access.Config()
	if err != nil {
		return nil, nil, err
	}
	cluster, err := access.Client()
	if err != nil {
		return nil, nil, err
	}
	var client *api.Client
	var stop func()
	output := ""
	err = wait.PollUntilContextCancel(ctx, podPause, true, func(ctx context.Context) (bool, error) {
		client, stop, err = dialOnce(ctx, config, cluster, server)
		if err != nil && err.Error() != output && ctx.Err() == nil {
			output = err.Error()
			// Errors of the progress output are ignored.
			_, _ = fmt.Fprintf(progress, "Vault in Pod %s/%s: %s\n", server.Namespace, server.Pod, output)
		}
		if errors.Is(err, errStuck) {
			return false, err
		}
		return err == nil, nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("Vault in Pod %s/%s: %s%s; look further: kubectl -n %[1]s describe pod %[2]s",
			server.Namespace, server.Pod, output, lastWords(cluster, server))
	}
	return client, stop, nil
}

// dialOnce connects to a running server once, and tests the connection with a request that needs no
// token.
func dialOnce(
	ctx context.Context, config *rest.Config, cluster kubernetes.Interface, server Server,
) (*api.Client, func(), error) {
	if err := podTrouble(ctx, cluster, server); err != nil {
		return nil, nil, err
	}
	port, stop, err := apiserver.Forward(ctx, config, server.Namespace, server.Pod, server.Port)
	if err != nil {
		return nil, nil, fmt.Errorf("forward a port: %w", err)
	}
	client, err := newClient(fmt.Sprintf("https://127.0.0.1:%d", port), server)
	if err == nil {
		_, err = client.Sys().InitStatusWithContext(ctx)
	}
	if err != nil {
		stop()
		return nil, nil, fmt.Errorf("does not answer: %w", err)
	}
	return client, stop, nil
}

// newClient returns a client without the token and namespace of the environment (VAULT_TOKEN and
// others), which are for another Vault.
func newClient(address string, server Server) (*api.Client, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(server.CA)) {
		return nil, errors.New("vault: ca: holds no certificate in PEM")
	}
	client, err := api.NewClient(&api.Config{
		Address: address, Timeout: 30 * time.Second, MaxRetries: 2,
		HttpClient: &http.Client{Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: server.Name,
				MinVersion: tls.VersionTLS12},
		}},
	})
	if err != nil {
		return nil, err
	}
	client.ClearToken()
	client.ClearNamespace()
	return client, nil
}

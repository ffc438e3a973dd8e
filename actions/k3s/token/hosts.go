package token

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"

	"strata/internal/k3shost"
	"strata/internal/kube/apiserver"
	"strata/internal/ssh/remote"
	"strata/internal/ssh/tunnel"
)

// Hosts accesses the servers during a rotation.
type Hosts interface {
	// Run runs a script as root and returns its output.
	Run(ctx context.Context, server remote.Target, script string) (string, error)
	// Rotate makes a server's K3s re-encrypt the cluster's keys with another token.
	Rotate(ctx context.Context, server remote.Target, owner *k3shost.Owner, former,
		wanted string) error
}

// SSH implements Hosts over SSH, with a private key, and over K3s's port.
type SSH struct{ Key []byte }

// Run implements Hosts.
func (s SSH) Run(ctx context.Context, server remote.Target, script string) (string, error) {
	return k3shost.Run(ctx, server, s.Key, script)
}

// Rotate implements Hosts. It does not run K3s's command, whose arguments would expose both tokens.
// It sends the same request over TLS, verified with the CA on the host (k3s-io/k3s
// pkg/cli/token/token.go, Rotate).
func (s SSH) Rotate(
	ctx context.Context, server remote.Target, owner *k3shost.Owner, former, wanted string,
) error {
	return s.rotateAt(ctx, apiserver.URL(server.Address), server, owner, former, wanted)
}

func (s SSH) rotateAt(
	ctx context.Context, url string, server remote.Target, owner *k3shost.Owner, former,
	wanted string,
) error {
	ca, err := s.Run(ctx, server, owner.WithNode(server.Name).Insists()+"cat "+k3shost.ServerCA)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(ca))
	body, err := json.Marshal(map[string]string{"newToken": wanted})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, url+"/v1-k3s/token",
		bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.SetBasicAuth("server", former)
	client := &http.Client{Transport: &http.Transport{
		DialContext:       tunnel.Dialer(tunnel.NewSpec(server), net.Dialer{}),
		TLSClientConfig:   &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		DisableKeepAlives: true,
	}}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode == http.StatusOK {
		return nil
	}
	said, _ := io.ReadAll(io.LimitReader(response.Body, 1000)) // the error quotes as much as could be read
	return fmt.Errorf("PUT %s: expected HTTP 200, found %s: %s; see: journalctl -u k3s -e",
		request.URL, response.Status, said)
}

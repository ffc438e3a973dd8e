package server

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"strata/health/observe"
	"strata/internal/k3shost"
	"strata/internal/ssh/tunnel"
)

// These durations pace the observations of /ping.
const (
	// pingInterval is the pause between two observations; each costs the server a TLS handshake.
	pingInterval = 120 * time.Millisecond
	// pingRefusedInterval is the pause while nothing listens: an observation then costs one packet
	// each way.
	pingRefusedInterval = 25 * time.Millisecond
	// pingTimeout limits one observation. K3s answers /ping from memory.
	pingTimeout = 3 * time.Second
)

// pinger requests a server's /ping, and verifies the server's certificate with the CA from its
// host.
type pinger struct {
	server string
	client *http.Client
	// readCA reads the CA's certificates from the host. roots are those that it last read.
	readCA func(ctx context.Context) (string, error)
	roots  *x509.CertPool
}

func newPinger(
	server string, dial tunnel.DialFunc, readCA func(ctx context.Context) (string, error),
) *pinger {
	return &pinger{server: server, readCA: readCA,
		client: &http.Client{Timeout: pingTimeout, Transport: &http.Transport{
			// The request sends no secret, so it accepts any certificate; verify checks the
			// certificate afterwards.
			TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // See above.
			DisableKeepAlives: true, DialContext: dial,
		}}}
}

// observe requests /ping again and again until ctx ends, and reports each answer that differs from
// the previous one.
func (p *pinger) observe(ctx context.Context, report func(pingFacts)) {
	var last pingFacts
	for ctx.Err() == nil {
		if now := p.ask(ctx); now != last && ctx.Err() == nil {
			last = now
			report(now)
		}
		observe.Pause(ctx, pingPause(last))
	}
}

// pingPause returns the pause after an answer.
func pingPause(f pingFacts) time.Duration {
	if f.Error == observe.RefusedText {
		return pingRefusedInterval
	}
	return pingInterval
}

func (p *pinger) ask(ctx context.Context) pingFacts {
	facts := pingFacts{Server: p.server, Seen: true}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.server+"/ping", nil)
	if err != nil {
		facts.Error = err.Error()
		return facts
	}
	response, err := p.client.Do(request)
	if err != nil {
		facts.Error, facts.Way = observe.DialTrouble(err), observe.WayOf(err)
		return facts
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, 200))
	_ = response.Body.Close()
	if err != nil {
		facts.Error = observe.DialTrouble(err)
		return facts
	}
	facts.Status, facts.Body = response.StatusCode, string(body)
	if !facts.isPong() {
		return facts
	}
	var unknown readError
	switch err := p.verify(ctx, response.TLS, request.URL.Hostname()); {
	case errors.As(err, &unknown):
		facts.Error = err.Error()
	case err != nil:
		facts.Stranger = err.Error()
	}
	return facts
}

// isPong reports whether the answer is a K3s supervisor's own.
func (f pingFacts) isPong() bool {
	return f.Status == http.StatusOK && strings.TrimSpace(f.Body) == "pong"
}

// readError means that the host's CA could not be read.
type readError struct{ error }

func (e readError) Error() string {
	return fmt.Sprintf("%s, which tells K3s from a stranger, cannot be read: %v", k3shost.ServerCA,
		e.error)
}

// verify verifies the certificate that came with an answer. K3s makes its CA when it starts, so
// verify reads the CA again before it refuses a certificate.
func (p *pinger) verify(ctx context.Context, state *tls.ConnectionState, name string) error {
	options := x509.VerifyOptions{Roots: p.roots, Intermediates: x509.NewCertPool(), DNSName: name}
	for _, above := range state.PeerCertificates[1:] {
		options.Intermediates.AddCert(above)
	}
	if p.roots != nil {
		if _, err := state.PeerCertificates[0].Verify(options); err == nil {
			return nil
		}
	}
	text, err := p.readCA(ctx)
	if err != nil {
		return readError{err}
	}
	p.roots = x509.NewCertPool()
	p.roots.AppendCertsFromPEM([]byte(text))
	options.Roots = p.roots
	_, err = state.PeerCertificates[0].Verify(options)
	return err
}

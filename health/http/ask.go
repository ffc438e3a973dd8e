package http

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"strata/health"
	"strata/health/address"
	"strata/health/observe"
	"strata/internal/ssh/tunnel"
)

const (
	// httpTimeout limits one request, including its connection.
	httpTimeout = 3 * time.Second
	// httpBodyLimit limits the part of a body that is searched for a text, in bytes.
	httpBodyLimit = 1 << 20
)

// routeless are the bodies of the 404 that Traefik and APISIX return if they have no route.
var routeless = []string{"404 page not found", `{"error_msg":"404 Route Not Found"}`}

// httpTarget holds the address, the CAs and the credentials for probes.
type httpTarget struct {
	// address is the Service's IP address.
	address string
	// roots are the trusted CAs; nil means this machine's own.
	roots *x509.CertPool
	// through is the tunnel to the address; if it is empty, the address is dialled directly.
	through tunnel.Spec
	// user and password are for the probes with Auth or Login; key is for those with a KeyHeader.
	user, password, key string
}

// ask makes one request over a connection of its own. It uses neither a proxy from the environment
// nor cookies.
func (t httpTarget) ask(ctx context.Context, probe Probe) httpAnswer {
	if probe.Login {
		return t.login(ctx, probe)
	}
	answer := httpAnswer{Name: probe.Name, Seen: true}
	ctx, cancel := context.WithTimeout(ctx, httpTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, probeMethod(probe), probe.URL, nil)
	if err != nil {
		answer.Error = "the request cannot be made"
		return answer
	}
	if probe.Auth {
		request.SetBasicAuth(t.user, t.password)
	}
	if probe.KeyHeader != "" {
		request.Header.Set(probe.KeyHeader, t.key)
	}
	transport := t.transport()
	defer transport.CloseIdleConnections()
	start := time.Now()
	response, err := transport.RoundTrip(request) // http.Client.Do would follow redirects
	if err != nil {
		answer.fail(err)
		return answer
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, httpBodyLimit))
	_ = response.Body.Close()
	if err != nil {
		answer.Error = observe.DialTrouble(err)
		return answer
	}
	answer.Status, answer.Within = response.StatusCode, roundLatency(time.Since(start))
	answer.Behind = answer.Status == http.StatusNotFound && len(body) > 0 &&
		!slices.Contains(routeless, strings.TrimSpace(string(body)))
	answer.Lacks = !strings.Contains(string(body), probe.Contains)
	answer.Location = absolute(request.URL, response.Header.Get("Location"))
	return answer
}

// transport returns a transport that dials the Service's address at the request's port.
func (t httpTarget) transport() *http.Transport {
	return &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: t.roots, MinVersion: tls.VersionTLS12},
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, asked string) (net.Conn, error) {
			_, port, err := net.SplitHostPort(asked)
			if err != nil {
				return nil, fmt.Errorf("address %s: %w", asked, err)
			}
			return address.Dialer(t.through)(ctx, network, net.JoinHostPort(t.address, port))
		},
	}
}

// fail sets the answer's Error, and its Way or Certificate, from the error of a request.
func (a *httpAnswer) fail(err error) {
	a.Error, a.Certificate = httpTrouble(err)
	a.Way = observe.WayOf(err)
}

// httpTrouble returns the text of a failed request's error, and a description of the certificate if
// that was refused.
func httpTrouble(err error) (text, certificate string) {
	var ca x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &ca):
		return "signed by an unknown authority", describeCertificate(ca.Cert)
	case errors.As(err, &name):
		return "it is not for " + name.Host, describeCertificate(name.Certificate)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return fmt.Sprintf("valid from %s to %s only",
			invalid.Cert.NotBefore.UTC().Format(time.RFC3339),
			invalid.Cert.NotAfter.UTC().Format(time.RFC3339)), describeCertificate(invalid.Cert)
	case errors.As(err, &invalid):
		return health.OneLine(invalid.Error()), describeCertificate(invalid.Cert)
	}
	if _, reason, found := strings.Cut(err.Error(), "tls: "); found {
		return "tls: " + health.OneLine(reason), ""
	}
	return observe.DialTrouble(err), ""
}

// describeCertificate returns a certificate's subject and names.
func describeCertificate(certificate *x509.Certificate) string {
	if certificate == nil {
		return "an unreadable subject"
	}
	names := slices.Clone(certificate.DNSNames)
	for _, ip := range certificate.IPAddresses {
		names = append(names, ip.String())
	}
	return observe.OrNone(certificate.Subject.String()) + " (" +
		observe.OrNone(strings.Join(names, ", ")) + ")"
}

// roundLatency rounds a latency up to one of a few bounds, so that it does not change with every
// observation.
func roundLatency(latency time.Duration) string {
	for _, bound := range []time.Duration{10 * time.Millisecond, 100 * time.Millisecond, time.Second} {
		if latency <= bound {
			return bound.String()
		}
	}
	return httpTimeout.String()
}

// absolute returns a Location header as an absolute URL; empty if location is empty.
func absolute(from *url.URL, location string) string {
	to, err := from.Parse(location)
	if location == "" || err != nil {
		return location
	}
	return to.String()
}

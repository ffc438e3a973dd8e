package kube

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"regexp"
	"strings"
	"syscall"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"strata/health"
	"strata/internal/ssh/tunnel"
)

// faultKind says why a request got no useful answer.
type faultKind string

const (
	faultRefused     faultKind = "refused"
	faultTimeout     faultKind = "timeout"
	faultUnreachable faultKind = "unreachable"
	// FaultUnauthorized means that the API server does not accept the credentials.
	FaultUnauthorized faultKind = "unauthorized"
	faultForbidden    faultKind = "forbidden"
	faultUnknownCA    faultKind = "unknown authority"
	faultName         faultKind = "wrong name"
	faultCertificate  faultKind = "bad certificate"
	faultNotServed    faultKind = "not served"
	faultOther        faultKind = "other"
	// faultTunnel and faultProxy mean that the server was not reached, because Strata's tunnel or
	// the kubeconfig's proxy does not connect to it.
	faultTunnel faultKind = "tunnel"
	faultProxy  faultKind = "proxy"
	// faultPlugin means that the kubeconfig's exec plugin returned no credentials.
	faultPlugin faultKind = "plugin"
)

// Fault describes a failed request to an API server.
type Fault struct {
	Kind faultKind `json:"kind"`
	// Server is the host and port of the API server.
	Server string `json:"server"`
	// Text is the error, without the parts that differ between observations.
	Text string `json:"text"`
	// Existing is true if the server belongs to an existing cluster, for which the hints differ.
	Existing bool `json:"existing,omitempty"`
}

// ephemeral matches the local end of a connection in a network error: a new port on every attempt.
var ephemeral = regexp.MustCompile(`\S+:\d+->`)

func newFault(server string, err error) *Fault {
	var down *tunnel.DownError
	if errors.As(err, &down) {
		err = down // Without the request's URL around it.
	} else if proxy := proxyError(err); proxy != nil {
		err = proxy
	} else if plugin := pluginError(err); plugin != nil {
		return &Fault{Kind: faultPlugin, Server: server, Text: plugin.Error()}
	}
	return &Fault{Kind: kindOf(err), Server: server, Text: Stable(err.Error())}
}

// Fault returns the fault of a failed request to the server.
func (s *APIServer) Fault(err error) *Fault {
	f := newFault(s.Name, err)
	f.Existing = s.existing
	return f
}

// Stable removes the local ports from an error, so that two observations of the same situation have
// the same text.
func Stable(text string) string {
	return strings.TrimSpace(ephemeral.ReplaceAllString(text, ""))
}

func kindOf(err error) faultKind {
	var ca x509.UnknownAuthorityError
	var name x509.HostnameError
	var certificate x509.CertificateInvalidError
	var down *tunnel.DownError
	switch {
	case errors.As(err, &down) && down.Foreign, proxyError(err) != nil:
		return faultProxy
	case errors.As(err, &down):
		return faultTunnel
	case apierrors.IsUnauthorized(err):
		return FaultUnauthorized
	case apierrors.IsForbidden(err):
		return faultForbidden
	case apierrors.IsNotFound(err):
		return faultNotServed
	case errors.As(err, &ca):
		return faultUnknownCA
	case errors.As(err, &name):
		return faultName
	case errors.As(err, &certificate):
		return faultCertificate
	}
	return networkKindOf(err)
}

// proxyError returns net/http's error of a connection to an HTTP proxy; nil if err is none.
func proxyError(err error) error {
	var network *net.OpError
	if errors.As(err, &network) && network.Op == "proxyconnect" {
		return network
	}
	return nil
}

// pluginError returns client-go's error of an exec plugin, which includes the kubeconfig's
// installHint, on one line; nil if err is none. This error has no type of its own
// (plugin/pkg/client/auth/exec, RoundTrip).
func pluginError(err error) error {
	_, text, found := strings.Cut(err.Error(), "getting credentials: ")
	if !found {
		return nil
	}
	return errors.New(strings.Join(strings.Fields(text), " "))
}

func networkKindOf(err error) faultKind {
	var network net.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return faultRefused
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return faultUnreachable
	case errors.Is(err, context.DeadlineExceeded):
		return faultTimeout
	case errors.As(err, &network) && network.Timeout():
		return faultTimeout
	default:
		return faultOther
	}
}

// elsewhere reports whether another API server may answer the request.
func (f *Fault) elsewhere() bool {
	return f.Kind != faultForbidden && f.Kind != faultNotServed
}

// permanent reports whether waiting cannot remove the fault. A server that starts may have such a
// fault for a moment, so callers check that it lasts.
func (f *Fault) permanent() bool {
	switch f.Kind {
	case FaultUnauthorized, faultForbidden, faultUnknownCA, faultName, faultCertificate:
		return true
	default:
		return false
	}
}

// Verdict returns a check's verdict while no API server answers: Stuck if the fault is permanent
// and stable, otherwise Waiting.
func (f *Fault) Verdict(check string, stable bool) health.Verdict {
	v := health.Verdict{Check: check, State: health.Waiting, Message: f.Server + " " + f.message(),
		Evidence: []string{f.Text}, Cause: f.cause(), Hint: f.hint()}
	if stable && f.permanent() {
		v.State = health.Stuck
	}
	return v
}

func (f *Fault) message() string {
	switch f.Kind {
	case faultRefused:
		return "refuses connections"
	case faultTimeout:
		return "does not answer in time"
	case faultUnreachable:
		return "cannot be reached"
	case FaultUnauthorized:
		return "rejects the credentials (401)"
	case faultForbidden:
		return "forbids the request (403)"
	case faultUnknownCA:
		return "has a certificate of another CA"
	case faultName:
		return "has a certificate for other names"
	case faultCertificate:
		return "has a certificate that is not valid now"
	case faultTunnel, faultProxy, faultPlugin:
		return "is not reached: " + f.Text
	default:
		return "gave no usable answer: " + f.Text
	}
}

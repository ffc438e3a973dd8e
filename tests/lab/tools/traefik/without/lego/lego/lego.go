// Package lego stands in for the ACME client of Traefik's certificate resolvers. Nothing here asks
// an ACME server, and its providers for challenges by DNS, with the SDK of every cloud, are a third
// of Traefik's compile time.
package lego

import (
	"crypto"
	"crypto/x509"
	"errors"
	"net/http"
	"time"

	"github.com/go-acme/lego/v5/acme"
	"github.com/go-acme/lego/v5/certificate"
	"github.com/go-acme/lego/v5/challenge"
	"github.com/go-acme/lego/v5/challenge/dns01"
	"github.com/go-acme/lego/v5/challenge/http01"
	"github.com/go-acme/lego/v5/challenge/tlsalpn01"
	"github.com/go-acme/lego/v5/registration"
)

var errNone = errors.New("the lab's Traefik has no ACME: certificates come from cert-manager")

// DirectoryURLLetsEncrypt is the default of a resolver's CA server.
const DirectoryURLLetsEncrypt = "https://acme-v02.api.letsencrypt.org/directory"

// User is the owner of the certificates.
type User interface {
	GetEmail() string
	GetRegistration() *acme.ExtendedAccount
	GetPrivateKey() crypto.Signer
}

// CertificateConfig bounds the wait for a certificate.
type CertificateConfig struct{ Timeout time.Duration }

// Config is the client's.
type Config struct {
	CADirURL, UserAgent string
	HTTPClient          *http.Client
	Certificate         CertificateConfig
}

// NewConfig returns one.
func NewConfig(User) *Config { return &Config{} }

// Client is never made.
type Client struct {
	Certificate  *certificate.Certifier
	Challenge    *SolverManager
	Registration *registration.Registrar
}

// NewClient refuses, so nothing else of it is ever called.
func NewClient(*Config) (*Client, error) { return nil, errNone }

// CreateCertPool refuses.
func CreateCertPool([]string, bool) (*x509.CertPool, error) { return nil, errNone }

// SolverManager would solve challenges.
type SolverManager struct{}

// SetDNS01Provider refuses.
func (*SolverManager) SetDNS01Provider(challenge.Provider, ...dns01.ChallengeOption) error {
	return errNone
}

// SetHTTP01Provider refuses.
func (*SolverManager) SetHTTP01Provider(challenge.Provider, ...http01.ChallengeOption) error {
	return errNone
}

// SetTLSALPN01Provider refuses.
func (*SolverManager) SetTLSALPN01Provider(challenge.Provider, ...tlsalpn01.ChallengeOption) error {
	return errNone
}

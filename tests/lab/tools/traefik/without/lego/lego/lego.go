// Package lego is a stub of the ACME client in Traefik's certificate resolvers. The lab does not
// use ACME in Traefik. The DNS challenge providers, which have an SDK for each cloud, take a third
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

// DirectoryURLLetsEncrypt is the default CA server of a resolver.
const DirectoryURLLetsEncrypt = "https://acme-v02.api.letsencrypt.org/directory"

// User is the owner of the certificates.
type User interface {
	GetEmail() string
	GetRegistration() *acme.ExtendedAccount
	GetPrivateKey() crypto.Signer
}

// CertificateConfig has the timeout of the wait for a certificate.
type CertificateConfig struct{ Timeout time.Duration }

// Config is the configuration of a client.
type Config struct {
	CADirURL, UserAgent string
	HTTPClient          *http.Client
	Certificate         CertificateConfig
}

// NewConfig returns an empty configuration.
func NewConfig(User) *Config { return &Config{} }

// Client is an ACME client. None is ever created.
type Client struct {
	Certificate  *certificate.Certifier
	Challenge    *SolverManager
	Registration *registration.Registrar
}

// NewClient always fails, so that no method of Client is ever called.
func NewClient(*Config) (*Client, error) { return nil, errNone }

// CreateCertPool always fails.
func CreateCertPool([]string, bool) (*x509.CertPool, error) { return nil, errNone }

// SolverManager registers the providers for challenges.
type SolverManager struct{}

// SetDNS01Provider always fails.
func (*SolverManager) SetDNS01Provider(challenge.Provider, ...dns01.ChallengeOption) error {
	return errNone
}

// SetHTTP01Provider always fails.
func (*SolverManager) SetHTTP01Provider(challenge.Provider, ...http01.ChallengeOption) error {
	return errNone
}

// SetTLSALPN01Provider always fails.
func (*SolverManager) SetTLSALPN01Provider(challenge.Provider, ...tlsalpn01.ChallengeOption) error {
	return errNone
}

// Package client is a stub of the client for CyberArk's (formerly Venafi's) services, which the lab
// does not use.
package client

import (
	"errors"
	"time"

	"github.com/go-logr/logr"

	internalinformers "github.com/cert-manager/cert-manager/internal/informers"
	cmapi "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/cert-manager/cert-manager/pkg/issuer/venafi/client/api"
	"github.com/cert-manager/cert-manager/pkg/metrics"
)

var errNone = errors.New("the lab's cert-manager has no Venafi issuer")

// VenafiClientBuilder creates a client.
type VenafiClientBuilder func(
	string, internalinformers.SecretLister, cmapi.GenericIssuer, *metrics.Metrics, logr.Logger, string,
) (Interface, error)

// Interface is a client.
type Interface interface {
	RequestCertificate(csrPEM []byte, duration time.Duration, customFields []api.CustomField) (string, error)
	RetrieveCertificate(pickupID string, csrPEM []byte, duration time.Duration,
		customFields []api.CustomField) ([]byte, error)
	Ping() error
	VerifyCredentials() error
}

// ErrCustomFieldsType reports an invalid field in a request. No function returns it.
type ErrCustomFieldsType struct{ error }

// New always fails.
func New(string, internalinformers.SecretLister, cmapi.GenericIssuer, *metrics.Metrics, logr.Logger,
	string) (Interface, error) {
	return nil, errNone
}

// AuthFailedError reports that the service does not know the user. No function returns it.
type AuthFailedError struct{ Err error }

func (e AuthFailedError) Error() string { return e.Err.Error() }

// Package client stands in for the client of CyberArk's (once Venafi's) services, which issue
// nothing in the lab.
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

// VenafiClientBuilder makes a client.
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

// ErrCustomFieldsType is about a request's fields. Nothing returns it.
type ErrCustomFieldsType struct{ error }

// New refuses.
func New(string, internalinformers.SecretLister, cmapi.GenericIssuer, *metrics.Metrics, logr.Logger,
	string) (Interface, error) {
	return nil, errNone
}

// AuthFailedError says that the service knows no such user. Nothing returns it.
type AuthFailedError struct{ Err error }

func (e AuthFailedError) Error() string { return e.Err.Error() }

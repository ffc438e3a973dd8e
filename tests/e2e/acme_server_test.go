package e2e

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
)

// acmeServer is Pebble, Let's Encrypt's ACME server for tests, on this machine. Each instance has a
// new CA.
type acmeServer struct {
	// directory is the URL of the ACME directory. ca is the CA certificate for TLS connections to
	// the server. root is the root of the certificates that the server issues.
	directory, ca, root string
	// keyID and key are the credentials of the only external account.
	keyID, key string
	// limited makes the server refuse new orders with a rate limit error. orders counts the
	// accepted orders.
	limited atomic.Bool
	orders  atomic.Int64
}

// newOrder is the path of new orders (pebble wfe newOrderPath).
const newOrder = "/order-plz"

// limit is Let's Encrypt's error for an order over the rate limit, in the form of RFC 8555.
const limit = `{"type": "urn:ietf:params:acme:error:rateLimited", "status": 429, "detail": "too many certificates (5) already issued for this exact set of ` +
	`identifiers in the last 168h0m0s, retry after 2030-01-01 00:00:00 UTC: see https://letsencrypt.org/docs/rate-limits/"}`

// serveACME starts an ACME server at an address of this machine. The ACME server resolves the names
// of orders and challenges over TCP, by the outside addresses of names.
func serveACME(t *testing.T, host string, names *nameServer) *acmeServer {
	t.Helper()
	for variable, value := range map[string]string{
		"PEBBLE_VA_NOSLEEP": "1", "PEBBLE_WFE_NONCEREJECT": "0",
		"PEBBLE_AUTHZREUSE": "0", // each order needs new challenges
	} {
		required(t, os.Setenv(variable, value)) //nolint:usetesting // t.Setenv refuses a story that runs beside others
	}
	s := &acmeServer{keyID: "strata", key: "YW4tZXh0ZXJuYWwtYWNjb3VudC1rZXktdGhhdC1tdXN0LW5vdC1sZWFr"}
	quiet, store := log.New(io.Discard, "", 0), db.NewMemoryStore()
	required(t, store.AddExternalAccountKeyByID(s.keyID, s.key))
	authority := ca.New(quiet, store, "", "ecdsa", 0, 1,
		map[string]ca.Profile{"default": {Description: "the only one"}})
	s.root = string(authority.GetRootCert(0).PEM())
	front := wfe.New(quiet, store, va.New(quiet, 80, 443, false, names.address, store), authority,
		[]string{"strata.test"}, false, true, 0, 0)
	server := httptest.NewUnstartedServer(s.counting(front.Handler()))
	required(t, server.Listener.Close())
	listener, err := net.Listen("tcp", host+":0")
	required(t, err)
	var pair tls.Certificate
	pair, s.ca = certificateOf(t, host)
	server.Listener = listener
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	s.directory = "https://" + listener.Addr().String() + wfe.DirectoryPath
	return s
}

// counting returns a handler that counts new orders, and refuses them while limited is true.
func (s *acmeServer) counting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != newOrder:
		case s.limited.Load():
			w.Header().Set("Content-Type", "application/problem+json")
			w.Header().Set("Retry-After", "Tue, 01 Jan 2030 00:00:00 GMT")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, limit)
			return
		default:
			s.orders.Add(1)
		}
		next.ServeHTTP(w, r)
	})
}

package drift_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"
)

// clusterServer is a server to join, with a CA, that accepts no password. It answers like K3s
// (pkg/server/auth/auth.go), so that a test sees how a joining K3s reacts.
type clusterServer struct{ url, caHash string }

func newClusterServer(t testing.TB) clusterServer {
	t.Helper()
	var server *httptest.Server
	ca := func() []byte {
		return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	}
	server = httptest.NewUnstartedServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/cacerts" {
				_, _ = w.Write(ca())
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w,
				`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"not authorized","reason":"Unauthorized","code":401}`)
		}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // K3s aborts some handshakes
	server.StartTLS()
	t.Cleanup(server.Close)
	sum := sha256.Sum256(ca())
	return clusterServer{url: server.URL, caHash: hex.EncodeToString(sum[:])}
}

// token returns a token in the full format, with a password that the server does not accept.
func (s clusterServer) token(user string) string {
	return "K10" + s.caHash + "::" + user +
		":wrong"
}

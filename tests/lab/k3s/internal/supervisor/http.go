package supervisor

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strings"

	"github.com/sirupsen/logrus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func serve(server *http.Server, listener net.Listener) {
	if err := server.ServeTLS(listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
		logrus.Fatalf("supervisor stopped: %v", err)
	}
}

// sendError sends a Kubernetes Status object, as K3s does.
func sendError(w http.ResponseWriter, code int, message string) {
	reason := metav1.StatusReason(strings.ReplaceAll(http.StatusText(code), " ", ""))
	sendJSON(w, code, metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Message: message, Reason: reason, Code: int32(code),
	})
}

func sendJSON(w http.ResponseWriter, code int, value any) {
	data, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	send(w, data)
}

func sendText(w http.ResponseWriter, data []byte) {
	w.Header().Set("Content-Type", "text/plain")
	send(w, data)
}

func send(w io.Writer, data []byte) {
	if _, err := w.Write(data); err != nil {
		logrus.Debugf("client went away: %v", err)
	}
}

// quietTLSLog returns a logger that logs failed TLS handshakes, for example of port scans, at debug
// level.
func quietTLSLog() *log.Logger {
	return log.New(logrus.StandardLogger().WriterLevel(logrus.DebugLevel), "", 0)
}

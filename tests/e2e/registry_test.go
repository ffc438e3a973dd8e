package e2e

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

// emptyRegistry is the address, on each host, of a registry without images.
const emptyRegistry = "localhost:5000"

// serveEmptyRegistry serves a registry without images on each host until the test ends. It listens
// on the host's loopback address, the only one that containerd requests without TLS.
func (l *hostSet) serveEmptyRegistry(t *testing.T) {
	text, err := os.ReadFile(l.keyFile)
	require.NoError(t, err)
	key, err := ssh.ParsePrivateKey(text)
	require.NoError(t, err)
	for _, n := range l.nodes {
		client, err := ssh.Dial("tcp", l.net.address(n.host)+":22", &ssh.ClientConfig{
			User: "strata", Auth: []ssh.AuthMethod{ssh.PublicKeys(key)},
			HostKeyCallback: ssh.InsecureIgnoreHostKey(), // the story created the machine
		})
		require.NoError(t, err)
		listener, err := client.Listen("tcp", "127.0.0.1:5000")
		require.NoError(t, err)
		go func() { _ = http.Serve(listener, http.HandlerFunc(unknownImage)) }()
		t.Cleanup(func() { _ = client.Close() })
	}
}

// unknownImage answers like a registry that does not have the image. For images below limited/ it
// answers with a rate limit, and for those below private/ it denies access.
func unknownImage(w http.ResponseWriter, r *http.Request) {
	code, says := http.StatusNotFound, `{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}`
	switch {
	case r.URL.Path == "/v2/":
		return
	case strings.HasPrefix(r.URL.Path, "/v2/limited/"):
		code, says = http.StatusTooManyRequests,
			`{"errors":[{"code":"TOOMANYREQUESTS","message":"You have reached your pull rate limit."}]}`
	case strings.HasPrefix(r.URL.Path, "/v2/private/"):
		code, says = http.StatusForbidden,
			`{"errors":[{"code":"DENIED","message":"requested access to the resource is denied"}]}`
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(says))
}

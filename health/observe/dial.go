package observe

import (
	"errors"
	"strings"

	"strata/health"
	"strata/internal/ssh/tunnel"
)

// RefusedText is DialTrouble's text for a port at which nothing listens.
const RefusedText = "connection refused"

// Way describes a fault of a tunnel or proxy on the way to a server; empty without one.
type Way struct {
	Cause string `json:"cause,omitempty"`
	Hint  string `json:"hint,omitempty"`
}

// WayOf returns the fault of a tunnel or proxy that made a request fail; empty if the fault is
// another one.
func WayOf(err error) Way {
	var down *tunnel.DownError
	if !errors.As(err, &down) {
		return Way{}
	}
	return Way{Cause: down.Cause(), Hint: down.Hint()}
}

// Down reports whether the tunnel or proxy failed. It is then unknown whether the server works.
func (w Way) Down() bool { return w != Way{} }

// DialTrouble returns the text of a failed request's error, without parts that differ between
// attempts, such as local ports.
func DialTrouble(err error) string {
	var down *tunnel.DownError
	if errors.As(err, &down) {
		return health.OneLine(down.Error())
	}
	text := err.Error()
	for _, known := range []string{
		RefusedText, "no route to host", "network is unreachable", "connection reset",
		"no such host", "EOF",
		"tls: ", "server gave HTTP response to HTTPS client",
	} {
		if strings.Contains(text, known) {
			return strings.TrimSuffix(known, ": ")
		}
	}
	if strings.Contains(text, "timeout") || strings.Contains(text, "deadline exceeded") {
		return "timeout; the host is down, or a firewall drops the connection"
	}
	return health.OneLine(text)
}

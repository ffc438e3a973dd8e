package tunnel

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"

	"k8s.io/client-go/rest"

	"strata/internal/files/digest"
	"strata/internal/ssh/remote"
)

// Spec describes a tunnel. The process that serves it gets it as JSON on stdin; the keys are in its
// environment.
type Spec struct {
	// Port is the port on this machine's loopback; zero if there is no tunnel.
	Port int `json:"port"`
	// Via are the jump hosts; the last one makes the connections. If Agent is true, the ssh-agent's
	// keys are also offered to them.
	Via   []remote.Hop `json:"via"`
	Agent bool         `json:"agent,omitempty"`
}

// NewSpec returns the Spec of the tunnel through a target's jump hosts. It returns the zero Spec if
// the target has no tunnel.
func NewSpec(t remote.Target) Spec {
	if t.DynamicForward == 0 {
		return Spec{}
	}
	return Spec{Port: t.DynamicForward, Via: t.Jump, Agent: t.Agent}
}

// First returns the tunnel of the first host that has one; a zero Spec if none has. target returns
// a host's Target.
func First[H any](hosts []H, target func(H) remote.Target) Spec {
	for _, host := range hosts {
		if way := NewSpec(target(host)); way.There() {
			return way
		}
	}
	return Spec{}
}

// There reports whether the Spec has a tunnel.
func (s Spec) There() bool { return s.Port != 0 }

// Address returns the proxy's address, as host:port; empty if there is no tunnel.
func (s Spec) Address() string {
	if !s.There() {
		return ""
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port))
}

// URL returns the proxy's URL, for proxy-url in a kubeconfig. The jump host must be able to resolve
// the API server's name.
func (s Spec) URL() string { return s.proxy().String() }

func (s Spec) proxy() *url.URL { return &url.URL{Scheme: scheme, Host: s.Address()} }

const scheme = "socks5"

// Use configures config to reach its server through the tunnel, if there is one.
func (s Spec) Use(config *rest.Config) {
	if s.There() {
		config.Proxy = http.ProxyURL(s.proxy())
	}
}

// last returns the address of the last jump host, which makes the connections.
func (s Spec) last() string {
	if len(s.Via) == 0 {
		return "nowhere"
	}
	hop := s.Via[len(s.Via)-1]
	return net.JoinHostPort(hop.Address, strconv.Itoa(hop.Port))
}

// protocol is the version of the tunnel's protocol. It is a part of the digest, so that a tunnel of
// another version counts as another tunnel.
const protocol = "2 "

// digest returns a hash that identifies the Spec and the protocol.
func (s Spec) digest() (string, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("tunnel: %w", err)
	}
	return digest.Short(append([]byte(protocol), text...)), nil
}

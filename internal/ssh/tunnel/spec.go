package tunnel

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"

	"k8s.io/client-go/rest"

	"strata/internal/ssh/remote"
)

// Spec is a tunnel. It travels as JSON to the process that serves it, whose keys come in the
// environment.
type Spec struct {
	// Port is of this machine's loopback.
	Port int `json:"port"`
	// Via are the jump hosts; connections come out of the last. Agent offers the ssh-agent's keys
	// to them as well.
	Via   []remote.Hop `json:"via"`
	Agent bool         `json:"agent,omitempty"`
}

// Of is the tunnel that leads to a target; its Port is zero where there is none.
func Of(t remote.Target) Spec {
	if t.DynamicForward == 0 {
		return Spec{}
	}
	return Spec{Port: t.DynamicForward, Via: t.Jump, Agent: t.Agent}
}

// First is the tunnel of the first of some hosts that has one; target is a host's.
func First[H any](hosts []H, target func(H) remote.Target) Spec {
	for _, host := range hosts {
		if way := Of(target(host)); way.There() {
			return way
		}
	}
	return Spec{}
}

// There says whether there is a tunnel at all.
func (s Spec) There() bool { return s.Port != 0 }

// Address returns the proxy's address, as host:port; empty without one.
func (s Spec) Address() string {
	if !s.There() {
		return ""
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port))
}

// URL is the proxy's, as a kubeconfig's proxy-url has it. The API server's address is looked up at
// the far end, where it has to be known.
func (s Spec) URL() string { return s.proxy().String() }

func (s Spec) proxy() *url.URL { return &url.URL{Scheme: scheme, Host: s.Address()} }

const scheme = "socks5"

// Use makes config reach its server through the tunnel, where there is one.
func (s Spec) Use(config *rest.Config) {
	if s.There() {
		config.Proxy = http.ProxyURL(s.proxy())
	}
}

// last is the jump host that connections come out of.
func (s Spec) last() string {
	if len(s.Via) == 0 {
		return "nowhere"
	}
	hop := s.Via[len(s.Via)-1]
	return net.JoinHostPort(hop.Address, strconv.Itoa(hop.Port))
}

// protocol is the version of what is said to a tunnel: one of another version is another tunnel.
const protocol = "2 "

// digest tells one way from another.
func (s Spec) digest() (string, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("tunnel: %w", err)
	}
	return shortHash(append([]byte(protocol), text...)), nil
}

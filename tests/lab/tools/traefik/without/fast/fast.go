// Package fast stands in for Traefik's experimental proxy, which is made of an HTTP client and
// server of its own.
package fast

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/traefik/traefik/v3/pkg/config/dynamic"
	"github.com/traefik/traefik/v3/pkg/config/static"
)

// ProxyBuilder builds nothing.
type ProxyBuilder struct{}

// NewProxyBuilder returns one.
func NewProxyBuilder(any, static.FastProxyConfig) *ProxyBuilder { return &ProxyBuilder{} }

// Update changes nothing.
func (*ProxyBuilder) Update(map[string]*dynamic.ServersTransport) {}

// Build refuses.
func (*ProxyBuilder) Build(string, *url.URL, bool, bool) (http.Handler, error) {
	return nil, errors.New("the lab's Traefik has no fast proxy")
}

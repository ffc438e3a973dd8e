// Package fast is a stub of Traefik's experimental proxy, which uses an HTTP client and server of
// its own.
package fast

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/traefik/traefik/v3/pkg/config/dynamic"
	"github.com/traefik/traefik/v3/pkg/config/static"
)

// ProxyBuilder always fails to build a proxy.
type ProxyBuilder struct{}

// NewProxyBuilder returns a ProxyBuilder.
func NewProxyBuilder(any, static.FastProxyConfig) *ProxyBuilder { return &ProxyBuilder{} }

// Update does nothing.
func (*ProxyBuilder) Update(map[string]*dynamic.ServersTransport) {}

// Build always fails.
func (*ProxyBuilder) Build(string, *url.URL, bool, bool) (http.Handler, error) {
	return nil, errors.New("the lab's Traefik has no fast proxy")
}

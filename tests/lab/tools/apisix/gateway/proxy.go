package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"strata/tests/lab/tools/apisix/admin"
)

// turn counts requests, so that they go to the Pods of an upstream in turn.
var turn atomic.Uint64

// proxy returns the handler for requests with a scheme, http or https.
func (p *plane) proxy(scheme string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, counted := time.Now(), &recorder{ResponseWriter: w, code: http.StatusOK}
		route, node := p.handle(counted, r, scheme)
		p.metrics.count(route, node, counted, time.Since(start))
	})
}

// handle responds to a request. It returns the route's id and the address of the Pod that
// responded; both are empty if there is none.
func (p *plane) handle(w http.ResponseWriter, r *http.Request, scheme string) (id, node string) {
	sent := p.current.Load()
	if sent == nil {
		say(w, http.StatusServiceUnavailable, map[string]string{"error_msg": "no configuration"})
		return "", ""
	}
	route := sent.match(r, scheme)
	if route == nil {
		say(w, http.StatusNotFound, map[string]string{"error_msg": "404 Route Not Found"})
		return "", ""
	}
	if config, on := sent.plugin(route, "key-auth").(map[string]any); on && !sent.admits(w, r, config) {
		return route.ID, ""
	}
	if config, on := sent.plugin(route, "openid-connect").(map[string]any); on &&
		!p.login.admits(w, r, config, scheme) {
		return route.ID, ""
	}
	to, err := p.upstreamOf(sent, route)
	if err != nil {
		code := http.StatusInternalServerError
		if errors.Is(err, errNoUpstream) {
			code = http.StatusBadGateway
		}
		say(w, code, map[string]string{"error_msg": err.Error()})
		return route.ID, ""
	}
	return route.ID, forward(w, r, to.Nodes, scheme)
}

// match returns the route for a request: its service's hosts and its variables match, and its path
// is the longest match.
func (l *loaded) match(r *http.Request, scheme string) *admin.Route {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	var best *admin.Route
	longest := -1
	for i := range l.Routes {
		if !fits(l.services[l.Routes[i].ServiceID].Hosts, host) || !holds(l.Routes[i].Vars, scheme) {
			continue
		}
		for _, uri := range l.Routes[i].URIs {
			prefix, wild := strings.CutSuffix(uri, "*")
			if (uri == r.URL.Path || wild && strings.HasPrefix(r.URL.Path, prefix)) && len(uri) > longest {
				best, longest = &l.Routes[i], len(uri)
			}
		}
	}
	return best
}

// holds reports whether a request satisfies a route's variables. Only server_port is supported: the
// port on which nginx listens (9080 or 9443), and not the Service's port.
func holds(vars [][]any, scheme string) bool {
	port := strings.TrimPrefix(map[string]string{"http": portHTTP, "https": portTLS}[scheme], ":")
	for _, one := range vars {
		if len(one) != 3 || one[0] != "server_port" {
			return false
		}
		wanted, many := one[2].([]any)
		if !many {
			wanted = []any{one[2]}
		}
		if !slices.ContainsFunc(wanted, func(want any) bool { return fmt.Sprint(want) == port }) {
			return false
		}
	}
	return true
}

// admits checks a request like plugin key-auth. It responds to a request without a valid key
// itself.
func (l *loaded) admits(w http.ResponseWriter, r *http.Request, config map[string]any) bool {
	header, _ := config["header"].(string)
	if header == "" {
		header = "apikey"
	}
	key := r.Header.Get(header)
	if key == "" {
		say(w, http.StatusUnauthorized, map[string]string{"message": "Missing API key in request"})
		return false
	}
	for _, consumer := range l.Consumers {
		auth, _ := consumer.Plugins["key-auth"].(map[string]any)
		name, _, _ := strings.Cut(consumer.ID, "/")
		name = cmp.Or(consumer.Username, name)
		if known, _ := auth["key"].(string); known != "" && known == key {
			if hide, _ := config["hide_credentials"].(bool); hide {
				r.Header.Del(header)
			}
			r.Header.Set("X-Consumer-Username", name)
			return true
		}
	}
	say(w, http.StatusUnauthorized, map[string]string{"message": "Invalid API key in request"})
	return false
}

// forward sends a request to one of an upstream's Pods, and returns the Pod's address. All Pods
// have their backend's weight, so they receive equal shares, even if the weight is 0.
func forward(w http.ResponseWriter, r *http.Request, nodes []admin.Node, scheme string) string {
	if len(nodes) == 0 {
		say(w, http.StatusServiceUnavailable, map[string]string{"error_msg": "no valid upstream node"})
		return ""
	}
	node := nodes[turn.Add(1)%uint64(len(nodes))]
	target := &url.URL{Scheme: "http", Host: net.JoinHostPort(node.Host, fmt.Sprint(node.Port))}
	proxy := httputil.ReverseProxy{
		Rewrite: func(out *httputil.ProxyRequest) {
			out.SetURL(target)
			out.Out.Host = out.In.Host
			out.SetXForwarded()
			out.Out.Header.Set("X-Forwarded-Proto", scheme)
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { say(w, http.StatusBadGateway, nil) },
		Transport:    upstream,
	}
	proxy.ServeHTTP(w, r)
	return node.Host
}

// upstream keeps connections to Pods open. It waits at most 2 s for a new one.
var upstream = &http.Transport{
	DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		return (&net.Dialer{Timeout: 2 * time.Second}).DialContext(ctx, network, address)
	},
	MaxIdleConnsPerHost: 16, IdleConnTimeout: 30 * time.Second,
}

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"strata/tests/lab/tools/apisix/admin"
)

// testPlane returns a data plane with the admin key k and the viewer key v, for all client
// addresses.
func testPlane() *plane { return newPlane(access{adminKey: "k", viewerKey: "v"}) }

// config returns a configuration with a route, a service and an upstream for each rule.
func config(rules ...rule) admin.Config {
	var all admin.Config
	for _, one := range rules {
		all.Routes = append(all.Routes, admin.Route{ID: one.id, URIs: one.uris,
			Plugins: one.plugins, ServiceID: one.id, Vars: one.vars})
		all.Services = append(all.Services, admin.Service{ID: one.id, Hosts: one.hosts, UpstreamID: one.id})
		all.Upstreams = append(all.Upstreams, admin.Upstream{ID: one.id, Nodes: one.nodes})
	}
	return all
}

type rule struct {
	id          string
	hosts, uris []string
	plugins     map[string]any
	nodes       []admin.Node
	vars        [][]any
}

// ask sends a request to a handler, and returns the status code and the body.
func ask(t *testing.T, handler http.Handler, request *http.Request) (int, string) {
	t.Helper()
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	return answer.Code, answer.Body.String()
}

// backend starts a server that stands in for a Pod. It responds with a description of the request.
func backend(t *testing.T) admin.Node {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "%s %s key=%q user=%s proto=%s", r.Host, r.URL.Path,
			r.Header.Get("apikey"), r.Header.Get("X-Consumer-Username"),
			r.Header.Get("X-Forwarded-Proto"))
	}))
	t.Cleanup(server.Close)
	return nodeOf(t, server.URL)
}

func nodeOf(t *testing.T, server string) admin.Node {
	t.Helper()
	address, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(address.Port())
	if err != nil {
		t.Fatal(err)
	}
	return admin.Node{Host: "127.0.0.1", Port: port}
}

// configure sends a configuration, and puts it into use at once.
func configure(t *testing.T, p *plane, config admin.Config) {
	t.Helper()
	send(t, p, config)
	p.takeUpstreams()
	p.takeRoutes()
}

func send(t *testing.T, p *plane, config admin.Config) {
	t.Helper()
	if code, text := put(t, p, config); code != http.StatusAccepted && code != http.StatusNoContent {
		t.Fatalf("configuration: %d %s", code, text)
	}
}

func put(t *testing.T, p *plane, config admin.Config) (int, string) {
	t.Helper()
	body, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	request := httptest.NewRequest(http.MethodPut, admin.Path, strings.NewReader(string(body)))
	request.Header.Set(admin.Header, "k")
	request.Header.Set(admin.Digest, string(body))
	return ask(t, http.HandlerFunc(p.admin), request)
}

func TestDataPlaneIsNotReadyWithoutConfiguration(t *testing.T) {
	p := testPlane()
	ready := httptest.NewRequest(http.MethodGet, "/status/ready", nil)
	if code, _ := ask(t, http.HandlerFunc(p.status), ready); code != 503 {
		t.Errorf("ready: expected 503, found %d", code)
	}
	if code, _ := ask(t, p.proxy("http"), httptest.NewRequest(http.MethodGet, "http://a.test/", nil)); code != 503 {
		t.Errorf("request: expected 503, found %d", code)
	}
	wrong := httptest.NewRequest(http.MethodPut, admin.Path, strings.NewReader("{}"))
	wrong.Header.Set(admin.Header, "other")
	if code, _ := ask(t, http.HandlerFunc(p.admin), wrong); code != 401 || p.sent.Load() != nil {
		t.Errorf("wrong key: expected 401 and no change, found %d", code)
	}
	configure(t, p, admin.Config{})
	if code, _ := ask(t, http.HandlerFunc(p.status), ready); code != 200 {
		t.Errorf("ready: expected 200, found %d", code)
	}
}

// The admin key allows every method, and the viewer key only GET. Both are accepted only from the
// configured addresses.
func TestAdminAPIChecksKeyAndClientAddress(t *testing.T) {
	p := newPlane(access{adminKey: "k", viewerKey: "v", from: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	get := func(method, key, from string) (int, string) {
		request := httptest.NewRequest(method, admin.Path, strings.NewReader("{}"))
		request.Header.Set(admin.Header, key)
		request.Header.Set(admin.Digest, "x")
		request.RemoteAddr = from
		return ask(t, http.HandlerFunc(p.admin), request)
	}
	if code, text := get(http.MethodGet, "v", "127.0.0.1:1"); code != 200 ||
		!strings.Contains(text, `"routes_conf_version":0`) {
		t.Errorf("before a configuration: %d %s", code, text)
	}
	for _, one := range []struct {
		method, key, from string
		code              int
	}{
		{http.MethodPut, "v", "127.0.0.1:1", 401}, {http.MethodGet, "x", "127.0.0.1:1", 401},
		{http.MethodGet, "v", "10.0.0.1:1", 403},
		{http.MethodPut, "k", "10.0.0.1:1", 403}, {http.MethodPut, "k", "127.0.0.1:1", 202},
		{http.MethodPut, "k", "127.0.0.1:1", 204},
		{http.MethodGet, "k", "127.0.0.1:1", 200},
	} {
		if code, text := get(one.method, one.key, one.from); code != one.code {
			t.Errorf("%v: found %d %s", one, code, text)
		}
	}
}

func TestRequestsAreRoutedByHostPathAndKey(t *testing.T) {
	p, node := testPlane(), backend(t)
	all := config(
		rule{id: "open", hosts: []string{"*.open.test"}, uris: []string{"/*"}, nodes: []admin.Node{node}},
		rule{id: "deep", hosts: []string{"a.open.test"}, uris: []string{"/deep/*"}},
		rule{id: "keyed", hosts: []string{"api.test"}, uris: []string{"/*"},
			plugins: map[string]any{"key-auth": map[string]any{"hide_credentials": true}},
			nodes:   []admin.Node{node}},
		rule{id: "bound", hosts: []string{"bound.test"}, uris: []string{"/*"},
			vars: [][]any{{"server_port", "in", []any{"80", "443"}}}, nodes: []admin.Node{node}},
		rule{id: "there", hosts: []string{"there.test"}, uris: []string{"/*"},
			vars: [][]any{{"server_port", "==", "9443"}}, nodes: []admin.Node{node}},
	)
	all.Consumers = []admin.Consumer{{Username: "me"}, {ID: "me/credentials/one",
		Plugins: map[string]any{"key-auth": map[string]any{"key": "secret"}}}}
	configure(t, p, all)
	for _, c := range []struct {
		url, key string
		code     int
		want     string
	}{
		{"http://a.open.test/x", "", 200, "a.open.test /x"},
		{"http://a.open.test:80/x", "", 200, "proto=https"},
		{"http://a.b.open.test/x", "", 404, "404 Route Not Found"},
		{"http://a.open.test/deep/x", "", 503, "no valid upstream node"},
		{"http://api.test/", "", 401, "Missing API key"},
		{"http://api.test/", "wrong", 401, "Invalid API key"},
		{"http://api.test/", "secret", 200, `key="" user=me`},
		{"http://bound.test/", "", 404, "404 Route Not Found"}, // bound to the Service's port
		{"http://there.test/", "", 200, "there.test /"},        // bound to nginx's port
	} {
		request := httptest.NewRequest(http.MethodGet, c.url, nil)
		if c.key != "" {
			request.Header.Set("apikey", c.key)
		}
		if code, body := ask(t, p.proxy("https"), request); code != c.code || !strings.Contains(body, c.want) {
			t.Errorf("%s: expected %d with %q, found %d with %q", c.url, c.code, c.want, code, body)
		}
	}
	_, text := ask(t, http.HandlerFunc(p.metrics.serve), httptest.NewRequest(http.MethodGet,
		"/apisix/prometheus/metrics", nil))
	for _, want := range []string{"# TYPE apisix_http_status counter\n",
		`apisix_http_status{code="401",route="keyed",node=""} 2`,
		`apisix_http_status{code="200",route="keyed",node="127.0.0.1"} 1`,
		"apisix_http_latency_bucket{", "apisix_bandwidth{",
		"apisix_nginx_http_current_connections{"} {
		if !strings.Contains(text, want) {
			t.Errorf("metrics: no %s in %s", want, text)
		}
	}
}

// Requests without a valid session, state or token must not get through. The tests of ../keycloak
// cover a successful login.
func TestLoginRejectsForgedSessionAndWrongState(t *testing.T) {
	p, node := testPlane(), backend(t)
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w,
			`{"issuer":"https://login.test","authorization_endpoint":"https://login.test/auth","token_endpoint":"http://`+r.Host+`/token","jwks_uri":"http://`+r.Host+`/keys"}`)
	}))
	defer provider.Close()
	configure(t, p, config(rule{
		id: "login", hosts: []string{"app.test"}, uris: []string{"/*"}, nodes: []admin.Node{node},
		plugins: map[string]any{"openid-connect": map[string]any{
			"client_id": "c", "discovery": provider.URL,
			"redirect_uri": "https://app.test/callback",
			"session":      map[string]any{"secret": "0123456789abcdef"},
		}},
	}))
	answer := httptest.NewRecorder()
	p.proxy("https").ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://app.test/x", nil))
	to, err := url.Parse(answer.Header().Get("Location"))
	if err != nil || answer.Code != 302 || to.Host != "login.test" ||
		to.Query().Get("client_id") != "c" || to.Query().Get("state") == "" {
		t.Fatalf("expected a redirect to the login page, found %d to %s", answer.Code, to)
	}
	forged := httptest.NewRequest(http.MethodGet, "http://app.test/x", nil)
	forged.AddCookie(&http.Cookie{Name: sessionCookie, Value: "Zm9yZ2VkZm9yZ2VkZm9yZ2Vk"})
	if code, _ := ask(t, p.proxy("https"), forged); code != 302 {
		t.Errorf("a forged session: expected 302, found %d", code)
	}
	// The correct state fails, too, because the token endpoint returns no token.
	for _, state := range []string{"wrong", to.Query().Get("state")} {
		back := httptest.NewRequest(http.MethodGet, "http://app.test/callback?code=x&state="+state, nil)
		for _, cookie := range answer.Result().Cookies() {
			back.AddCookie(cookie)
		}
		if code, body := ask(t, p.proxy("https"), back); code != 500 {
			t.Errorf("callback: expected 500, found %d %s", code, body)
		}
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"strata/tests/lab/tools/apisix/admin"
)

// ask is the status and body of a request to a handler.
func ask(t *testing.T, handler http.Handler, request *http.Request) (int, string) {
	t.Helper()
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	return answer.Code, answer.Body.String()
}

// backend is a Pod that says what reached it.
func backend(t *testing.T) admin.Node {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "%s %s key=%q user=%s proto=%s", r.Host, r.URL.Path, r.Header.Get("apikey"), r.Header.Get("X-Consumer-Username"), r.Header.Get("X-Forwarded-Proto"))
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

// configure sends a configuration, and waits until it is in force.
func configure(t *testing.T, p *plane, config admin.Config) {
	t.Helper()
	send(t, p, config)
	p.takeUpstreams()
	p.takeRoutes()
}

func send(t *testing.T, p *plane, config admin.Config) {
	t.Helper()
	if code, text := put(t, p, config); code != http.StatusAccepted {
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
	request.Header.Set(admin.Header, p.key)
	return ask(t, http.HandlerFunc(p.admin), request)
}

func TestWithoutAConfigurationNothingIsReadyOrServed(t *testing.T) {
	p := newPlane("k")
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

func TestRequestsAreLedByHostAndPathAndThroughKeys(t *testing.T) {
	p, node := newPlane("k"), backend(t)
	configure(t, p, admin.Config{
		Routes: []admin.Route{
			{ID: "open", Hosts: []string{"*.open.test"}, URIs: []string{"/*"}, Upstream: admin.Upstream{Nodes: []admin.Node{node}}},
			{ID: "deep", Hosts: []string{"a.open.test"}, URIs: []string{"/deep/*"}},
			{ID: "keyed", Hosts: []string{"api.test"}, URIs: []string{"/*"}, Plugins: map[string]any{"key-auth": map[string]any{"hide_credentials": true}}, Upstream: admin.Upstream{Nodes: []admin.Node{node}}},
		},
		Consumers: []admin.Consumer{{Username: "me", Plugins: map[string]any{"key-auth": map[string]any{"key": "secret"}}}},
	})
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
	} {
		request := httptest.NewRequest(http.MethodGet, c.url, nil)
		if c.key != "" {
			request.Header.Set("apikey", c.key)
		}
		if code, body := ask(t, p.proxy("https"), request); code != c.code || !strings.Contains(body, c.want) {
			t.Errorf("%s: expected %d with %q, found %d with %q", c.url, c.code, c.want, code, body)
		}
	}
	_, text := ask(t, http.HandlerFunc(p.metrics.serve), httptest.NewRequest(http.MethodGet, "/apisix/prometheus/metrics", nil))
	for _, want := range []string{"# TYPE apisix_http_status counter\n", `apisix_http_status{code="401",route="keyed",node=""} 2`, `apisix_http_status{code="200",route="keyed",node="127.0.0.1"} 1`, "apisix_http_latency_bucket{", "apisix_bandwidth{", "apisix_nginx_http_current_connections{"} {
		if !strings.Contains(text, want) {
			t.Errorf("metrics: no %s in %s", want, text)
		}
	}
}

// A provider whose token is of another key, client, nonce or issuer must not let anybody in; the tests of ../keycloak have the good one.
func TestALoginNeedsItsOwnCookieAndState(t *testing.T) {
	p, node := newPlane("k"), backend(t)
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"issuer":"https://login.test","authorization_endpoint":"https://login.test/auth","token_endpoint":"http://`+r.Host+`/token","jwks_uri":"http://`+r.Host+`/keys"}`)
	}))
	defer provider.Close()
	configure(t, p, admin.Config{Routes: []admin.Route{{
		ID: "login", Hosts: []string{"app.test"}, URIs: []string{"/*"}, Upstream: admin.Upstream{Nodes: []admin.Node{node}},
		Plugins: map[string]any{"openid-connect": map[string]any{
			"client_id": "c", "discovery": provider.URL, "redirect_uri": "https://app.test/callback", "session": map[string]any{"secret": "0123456789abcdef"},
		}},
	}}})
	answer := httptest.NewRecorder()
	p.proxy("https").ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://app.test/x", nil))
	to, err := url.Parse(answer.Header().Get("Location"))
	if err != nil || answer.Code != 302 || to.Host != "login.test" || to.Query().Get("client_id") != "c" || to.Query().Get("state") == "" {
		t.Fatalf("expected a redirect to the login page, found %d to %s", answer.Code, to)
	}
	forged := httptest.NewRequest(http.MethodGet, "http://app.test/x", nil)
	forged.AddCookie(&http.Cookie{Name: sessionCookie, Value: "Zm9yZ2VkZm9yZ2VkZm9yZ2Vk"})
	if code, _ := ask(t, p.proxy("https"), forged); code != 302 {
		t.Errorf("a forged session: expected 302, found %d", code)
	}
	for _, state := range []string{"wrong", to.Query().Get("state")} { // the right one, but a token endpoint that gives no token
		back := httptest.NewRequest(http.MethodGet, "http://app.test/callback?code=x&state="+state, nil)
		for _, cookie := range answer.Result().Cookies() {
			back.AddCookie(cookie)
		}
		if code, body := ask(t, p.proxy("https"), back); code != 500 {
			t.Errorf("callback: expected 500, found %d %s", code, body)
		}
	}
}

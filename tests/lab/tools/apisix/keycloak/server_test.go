package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const text = `{"realm": "demo", "enabled": true,
 "clients": [{"clientId": "app", "secret": "${SECRET}", "redirectUris": ["https://app.test/*"]}],
 "users": [{"username": "demo", "credentials": [{"type": "password", "value": "${PASSWORD}"}]}]}`

func imported(t *testing.T) *server {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "realm.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	realms, err := readRealms(
		dir,
		func(name string) string { return map[string]string{"SECRET": `s"q`, "PASSWORD": "p"}[name] },
	)
	if err != nil {
		t.Fatal(err)
	}
	made, err := newServer("https://login.test", realms)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func post(t *testing.T, s *server, path string, form url.Values, secret string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if secret != "" {
		request.SetBasicAuth("app", secret)
	}
	answer := httptest.NewRecorder()
	s.ServeHTTP(answer, request)
	return answer
}

func get(s *server, path string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	s.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
	return answer
}

func TestLoginCodeYieldsOneToken(t *testing.T) {
	s := imported(t)
	page := get(
		s,
		"/realms/demo/protocol/openid-connect/auth?response_type=code&client_id=app&state=st&nonce=n&redirect_uri="+url.QueryEscape(
			"https://app.test/callback",
		),
	)
	form := regexp.MustCompile(`action="([^"]+)"`).FindStringSubmatch(page.Body.String())
	if page.Code != 200 || form == nil ||
		!strings.HasPrefix(form[1], "https://login.test/realms/demo/login-actions/authenticate?session_code=") {
		t.Fatalf("login page: %d %s", page.Code, page.Body)
	}
	action := strings.TrimPrefix(form[1], "https://login.test")
	if wrong := post(t, s, action, url.Values{"username": {"demo"}, "password": {"x"}}, ""); wrong.Code != 200 ||
		!strings.Contains(wrong.Body.String(), "Invalid username") {
		t.Errorf("wrong password: %d %s", wrong.Code, wrong.Body)
	}
	good := post(t, s, action, url.Values{"username": {"demo"}, "password": {"p"}}, "")
	back, err := url.Parse(good.Header().Get("Location"))
	if err != nil || good.Code != 302 || back.Query().Get("state") != "st" {
		t.Fatalf("login: %d to %s", good.Code, back)
	}
	exchange := url.Values{
		"grant_type":   {"authorization_code"},
		"code":         {back.Query().Get("code")},
		"redirect_uri": {"https://app.test/callback"},
	}
	const token = "/realms/demo/protocol/openid-connect/token"
	if refused := post(t, s, token, exchange, "wrong"); refused.Code != 401 {
		t.Errorf("wrong secret: %d", refused.Code)
	}
	given := post(t, s, token, exchange, `s"q`)
	var answer map[string]any
	if err := json.Unmarshal(given.Body.Bytes(), &answer); err != nil || given.Code != 200 ||
		strings.Count(answer["id_token"].(string), ".") != 2 {
		t.Fatalf("token: %d %s", given.Code, given.Body)
	}
	if again := post(t, s, token, exchange, `s"q`); again.Code != 400 {
		t.Errorf("the code a second time: %d", again.Code)
	}
}

func TestDiscoveryHasPublicIssuerAndRequestHostEndpoints(t *testing.T) {
	s := imported(t)
	body := get(s, "http://keycloak.demo.svc/realms/demo/.well-known/openid-configuration").Body.String()
	for _, want := range []string{`"issuer":"https://login.test/realms/demo"`,
		`"token_endpoint":"http://keycloak.demo.svc/realms/demo/protocol/openid-connect/token"`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in %s", want, body)
		}
	}
	for path, code := range map[string]int{
		"/realms/other/.well-known/openid-configuration":                                                             404,
		"/realms/demo/protocol/openid-connect/auth?response_type=code&client_id=app&redirect_uri=https://elsewhere/": 400,
		"/realms/demo/protocol/openid-connect/auth?response_type=code&client_id=no&redirect_uri=https://app.test/":   400,
	} {
		if found := get(s, path).Code; found != code {
			t.Errorf("%s: expected %d, found %d", path, code, found)
		}
	}
}

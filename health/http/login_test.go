package http

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// portal is an application behind a login page, like an application behind APISIX and Keycloak.
type portal struct {
	// page is the HTML of the login page. back is the redirect target after a successful login.
	page, back string
}

func (p portal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/app":
		if cookie, err := r.Cookie("session"); err == nil && cookie.Value == "good" {
			_, _ = io.WriteString(w, "welcome")
			return
		}
		http.Redirect(w, r, "/login?state=1&nonce=2", http.StatusFound)
	case "/login":
		http.SetCookie(w, &http.Cookie{Name: "auth", Value: r.URL.Query().Get("state"), Path: "/"})
		_, _ = io.WriteString(w, p.page)
	case "/authenticate":
		auth, err := r.Cookie("auth")
		if err != nil || auth.Value != "1" || r.PostFormValue("username") != "demo" ||
			r.PostFormValue("password") != "p:w" || r.URL.Query().Get("a") != "b" {
			_, _ = io.WriteString(w, p.page)
			return
		}
		http.Redirect(w, r, p.back, http.StatusFound)
	case "/callback":
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "good", Path: "/"})
		http.Redirect(w, r, "/app", http.StatusFound)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

const loginPage = `<html><form id="kc-form-login" onsubmit="x" action="/authenticate?a=b&amp;c=d" method="post"></form></html>`

func TestLoginProbeFollowsRedirectsAndForm(t *testing.T) {
	for _, c := range []struct {
		name     string
		portal   portal
		password string
		want     httpAnswer
	}{
		{"good", portal{loginPage, "/callback?code=x"}, "p:w", httpAnswer{Status: 200}},
		{"wrong password", portal{loginPage, "/callback"}, "other",
			httpAnswer{Error: "the login ended with HTTP 200 of BASE/authenticate"}},
		{"no form", portal{"<html>down</html>", "/callback"}, "p:w",
			httpAnswer{Error: "no login page: HTTP 200 of BASE/login"}},
		{"a callback that fails", portal{loginPage, "/lost?code=x"}, "p:w",
			httpAnswer{Error: "the login ended with HTTP 404 of BASE/lost"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(c.portal)
			defer server.Close()
			address, err := url.Parse(server.URL)
			require.NoError(t, err)
			base := fmt.Sprintf("http://app.example.org:%s", address.Port())
			target := httpTarget{address: "127.0.0.1", user: "demo", password: c.password}
			answer := target.ask(t.Context(),
				Probe{Name: "login", URL: base + "/app", Login: true, Contains: "welcome"})
			want := c.want
			want.Name, want.Seen = "login", true
			want.Error = strings.Replace(want.Error, "BASE", base, 1)
			assert.Equal(t, want, answer)
			assert.NotContains(t, answer.Error, "p:w")
		})
	}
}

func TestLoginProbeReportsMissingLoginPage(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	address, err := url.Parse(server.URL)
	require.NoError(t, err)
	target := httpTarget{address: "127.0.0.1"}
	probe := Probe{URL: "http://a.example.org:" + address.Port() + "/", Login: true, Contains: "x"}
	assert.Contains(t, target.ask(t.Context(), probe).Error, "no login page: HTTP 404")
	server.Close()
	assert.Equal(t, "connection refused", target.ask(t.Context(), probe).Error)
}

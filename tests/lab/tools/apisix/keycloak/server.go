package main

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// server handles the requests for all realms.
type server struct {
	hostname string
	realms   map[string]*realm
	key      *rsa.PrivateKey

	mu sync.Mutex
	// logins has the unfinished logins by session code. codes has the codes that have not been
	// exchanged.
	logins map[string]begun
	codes  map[string]granted
}

// begun is an unfinished login.
type begun struct {
	client, redirect, state, nonce string
	expires                        time.Time
}

// granted is a successful login.
type granted struct {
	begun
	user user
}

func newServer(hostname string, realms map[string]*realm) (*server, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	return &server{hostname: strings.TrimSuffix(hostname, "/"), realms: realms, key: key,
		logins: map[string]begun{}, codes: map[string]granted{}}, err
}

// ServeHTTP calls the handler of an endpoint. The path is /realms/NAME/ENDPOINT.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/realms/"), "/", 2)
	realm := s.realms[parts[0]]
	if realm == nil || !realm.Enabled || len(parts) < 2 {
		say(w, http.StatusNotFound, map[string]string{"error": "Realm does not exist"})
		return
	}
	switch parts[1] {
	case ".well-known/openid-configuration":
		s.discovery(w, r, realm)
	case "protocol/openid-connect/auth":
		s.begin(w, r, realm)
	case "login-actions/authenticate":
		s.authenticate(w, r, realm)
	case "protocol/openid-connect/token":
		s.token(w, r, realm)
	case "protocol/openid-connect/certs":
		s.certs(w)
	default:
		say(w, http.StatusNotFound, map[string]string{"error": "not found"})
	}
}

// discovery returns the discovery document. As with KC_HOSTNAME_BACKCHANNEL_DYNAMIC, the endpoints
// for servers have the host of the request.
func (s *server) discovery(w http.ResponseWriter, r *http.Request, realm *realm) {
	base := "/realms/" + realm.Realm
	inside := "http://" + r.Host + base + "/protocol/openid-connect/"
	say(w, http.StatusOK, map[string]any{
		"issuer": s.hostname + base, "authorization_endpoint": s.hostname + base + "/protocol/openid-connect/auth",
		"token_endpoint": inside + "token", "jwks_uri": inside + "certs",
		"response_types_supported": []string{"code"}, "id_token_signing_alg_values_supported": []string{"RS256"},
	})
}

// begin shows the login page to a user whom a client has redirected.
func (s *server) begin(w http.ResponseWriter, r *http.Request, realm *realm) {
	query := r.URL.Query()
	client := realm.client(query.Get("client_id"))
	if client == nil || !client.allows(query.Get("redirect_uri")) || query.Get("response_type") != "code" {
		http.Error(w, "Invalid parameter: client_id, redirect_uri or response_type", http.StatusBadRequest)
		return
	}
	session := rand.Text()
	s.mu.Lock()
	s.logins[session] = begun{client.ID, query.Get("redirect_uri"), query.Get("state"),
		query.Get("nonce"), time.Now().Add(10 * time.Minute)}
	s.mu.Unlock()
	s.page(w, realm, session, "")
}

var pageTemplate = template.Must(template.New("login").Parse(
	`<!DOCTYPE html><html><head><title>Sign in</title></head><body>
<p>{{.Message}}</p>
<form id="kc-form-login" action="{{.Action}}" method="post">
<input name="username"/><input name="password" type="password"/><input type="submit" value="Sign In"/>
</form></body></html>
`))

func (s *server) page(w http.ResponseWriter, realm *realm, session, message string) {
	w.Header().Set("Content-Type", "text/html;charset=utf-8")
	action := s.hostname + "/realms/" + realm.Realm + "/login-actions/authenticate?" +
		url.Values{"session_code": {session}}.Encode()
	_ = pageTemplate.Execute(w, map[string]string{"Action": action, "Message": message}) // the browser may have disconnected
}

// authenticate handles the login form. It redirects a successful login to the client with a code.
func (s *server) authenticate(w http.ResponseWriter, r *http.Request, realm *realm) {
	session := r.URL.Query().Get("session_code")
	s.mu.Lock()
	login, known := s.logins[session]
	s.mu.Unlock()
	if !known || time.Now().After(login.expires) {
		http.Error(w, "Page has expired", http.StatusBadRequest)
		return
	}
	user := realm.user(r.PostFormValue("username"), r.PostFormValue("password"))
	if user == nil {
		s.page(w, realm, session, "Invalid username or password.")
		return
	}
	code := rand.Text()
	s.mu.Lock()
	delete(s.logins, session)
	s.codes[code] = granted{login, *user}
	s.mu.Unlock()
	http.Redirect(w, r, login.redirect+"?"+url.Values{"state": {login.state},
		"code": {code}}.Encode(), http.StatusFound)
}

func say(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body) // the client may have disconnected
}

package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// login implements the plugin openid-connect with the authorization code flow. The session is in an
// encrypted cookie, so that every replica can read it.
type login struct {
	client *http.Client
}

func newLogin() *login { return &login{client: &http.Client{Timeout: 5 * time.Second}} }

const (
	sessionCookie, flowCookie = "session", "session_flow"
	sessionTime, flowTime     = time.Hour, 10 * time.Minute
)

// flow is the data of a login that has begun. A cookie keeps it until the browser returns from the
// login page.
type flow struct {
	State, Nonce, Original string
	Expires                time.Time
}

// session is the data of a finished login, kept in a cookie.
type session struct {
	Subject string
	Expires time.Time
}

// provider has the fields of the discovery document.
type provider struct {
	Issuer        string `json:"issuer"`
	Authorization string `json:"authorization_endpoint"`
	Token         string `json:"token_endpoint"`
	Keys          string `json:"jwks_uri"`
}

// admits reports whether a request has a valid session. It responds to every other request itself.
func (l *login) admits(w http.ResponseWriter, r *http.Request, config map[string]any, scheme string) bool {
	box, err := newBox(text(config, "session", "secret"))
	if err != nil {
		say(w, http.StatusInternalServerError, map[string]string{"error_msg": err.Error()})
		return false
	}
	var known session
	if cookie, err := r.Cookie(sessionCookie); err == nil &&
		box.open(cookie.Value, &known) == nil && time.Now().Before(known.Expires) {
		r.Header.Set("X-Userinfo", base64.StdEncoding.EncodeToString([]byte(known.Subject)))
		return true
	}
	redirect, err := url.Parse(text(config, "redirect_uri"))
	if err == nil && r.URL.Path == redirect.Path {
		err = l.finish(w, r, config, box)
	} else if err == nil {
		err = l.begin(w, r, config, box, scheme)
	}
	if err != nil {
		say(w, http.StatusInternalServerError, map[string]string{"error_msg": "openid-connect: " + err.Error()})
	}
	return false
}

// begin redirects the browser to the login page.
func (l *login) begin(w http.ResponseWriter, r *http.Request, config map[string]any, box *box, scheme string) error {
	server, err := l.discover(r.Context(), config)
	if err != nil {
		return err
	}
	begun := flow{State: rand.Text(), Nonce: rand.Text(), Original: scheme + "://" + r.Host +
		r.URL.RequestURI(), Expires: time.Now().Add(flowTime)}
	if err := keep(w, box, flowCookie, begun, flowTime); err != nil {
		return err
	}
	query := url.Values{
		"response_type": {"code"}, "client_id": {text(config, "client_id")},
		"redirect_uri": {text(config, "redirect_uri")},
		"scope":        {text(config, "scope")}, "state": {begun.State}, "nonce": {begun.Nonce},
	}
	http.Redirect(w, r, server.Authorization+"?"+query.Encode(), http.StatusFound)
	return nil
}

// finish exchanges the code for a token, sets the session cookie, and redirects the browser to the
// page that it first requested.
func (l *login) finish(w http.ResponseWriter, r *http.Request, config map[string]any, box *box) error {
	var begun flow
	cookie, err := r.Cookie(flowCookie)
	if err != nil {
		return errors.New("no login is under way")
	}
	if err := box.open(cookie.Value, &begun); err != nil {
		return err
	}
	if begun.State != r.URL.Query().Get("state") || time.Now().After(begun.Expires) {
		return errors.New("state from argument does not match the one of the session")
	}
	server, err := l.discover(r.Context(), config)
	if err != nil {
		return err
	}
	token, err := l.exchange(r.Context(), server, config, r.URL.Query().Get("code"))
	if err != nil {
		return err
	}
	claims, err := l.verify(r.Context(), server, token, text(config, "client_id"), begun.Nonce)
	if err != nil {
		return err
	}
	if err := keep(w, box, sessionCookie, session{Subject: claims.Subject,
		Expires: time.Now().Add(sessionTime)}, sessionTime); err != nil {
		return err
	}
	http.Redirect(w, r, begun.Original, http.StatusFound)
	return nil
}

// exchange exchanges a code for an ID token.
func (l *login) exchange(ctx context.Context, server provider, config map[string]any, code string) (string, error) {
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code},
		"redirect_uri": {text(config, "redirect_uri")}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.Token, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(text(config, "client_id"), text(config, "client_secret"))
	var answer struct {
		IDToken string `json:"id_token"`
	}
	err = l.get(request, &answer)
	return answer.IDToken, err
}

func (l *login) discover(ctx context.Context, config map[string]any) (provider, error) {
	var found provider
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, text(config, "discovery"), nil)
	if err != nil {
		return found, err
	}
	err = l.get(request, &found)
	return found, err
}

// get sends a request and decodes the JSON response.
func (l *login) get(request *http.Request, into any) error {
	response, err := l.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %d", request.URL.Path, response.StatusCode)
	}
	return json.Unmarshal(body, into)
}

// keep sets an encrypted cookie with a value.
func keep(w http.ResponseWriter, box *box, name string, value any, lives time.Duration) error {
	sealed, err := box.seal(value)
	if err != nil {
		return err
	}
	http.SetCookie(w, &http.Cookie{Name: name, Value: sealed, Path: "/",
		MaxAge: int(lives.Seconds()), HttpOnly: true, SameSite: http.SameSiteLaxMode})
	return nil
}

// text returns a string in a plugin's configuration, by path; empty if it does not exist.
func text(config map[string]any, path ...string) string {
	for _, step := range path[:len(path)-1] {
		config, _ = config[step].(map[string]any)
	}
	value, _ := config[path[len(path)-1]].(string)
	return value
}

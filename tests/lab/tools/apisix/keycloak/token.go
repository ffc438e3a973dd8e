package main

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/url"
	"time"
)

// tokenTime is the validity of a token, Keycloak's default.
const tokenTime = 5 * time.Minute

// token exchanges a code for a token of the user who has logged in. A code can be used once.
func (s *server) token(w http.ResponseWriter, r *http.Request, realm *realm) {
	id, secret, _ := r.BasicAuth()
	if name, err := url.QueryUnescape(id); err == nil {
		id = name
	}
	client := realm.client(id)
	if client == nil || client.Secret == "" || subtle.ConstantTimeCompare([]byte(client.Secret), []byte(secret)) != 1 {
		say(w, http.StatusUnauthorized, map[string]string{"error": "unauthorized_client",
			"error_description": "Invalid client or Invalid client credentials"})
		return
	}
	code := r.PostFormValue("code")
	s.mu.Lock()
	grant, known := s.codes[code]
	delete(s.codes, code)
	s.mu.Unlock()
	if !known || grant.client != id || grant.redirect != r.PostFormValue("redirect_uri") {
		say(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant",
			"error_description": "Code not valid"})
		return
	}
	signed, err := s.sign(map[string]any{
		"iss": s.hostname + "/realms/" + realm.Realm, "sub": grant.user.Username, "aud": id, "nonce": grant.nonce,
		"iat": time.Now().Unix(), "exp": time.Now().Add(tokenTime).Unix(),
		"preferred_username": grant.user.Username, "email": grant.user.Email,
	})
	if err != nil {
		say(w, http.StatusInternalServerError, map[string]string{"error": err.Error()})
		return
	}
	say(w, http.StatusOK, map[string]any{"access_token": signed, "id_token": signed,
		"token_type": "Bearer", "expires_in": int(tokenTime.Seconds())})
}

// sign returns a signed JSON Web Token.
func (s *server) sign(claims map[string]any) (string, error) {
	header, err := json.Marshal(map[string]string{"alg": "RS256", "typ": "JWT", "kid": s.kid()})
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString(header) + "." + base64.RawURLEncoding.EncodeToString(body)
	digest := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, s.key, crypto.SHA256, digest[:])
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), err
}

// certs returns the public keys that verify the tokens.
func (s *server) certs(w http.ResponseWriter) {
	say(w, http.StatusOK, map[string]any{"keys": []any{map[string]string{
		"kid": s.kid(), "kty": "RSA", "alg": "RS256", "use": "sig",
		"n": base64.RawURLEncoding.EncodeToString(s.key.N.Bytes()),
		"e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(s.key.E)).Bytes()),
	}}})
}

func (s *server) kid() string {
	sum := sha256.Sum256(s.key.N.Bytes())
	return base64.RawURLEncoding.EncodeToString(sum[:8])
}

package main

import (
	"context"
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"time"
)

// claims are the fields of an ID token.
type claims struct {
	Issuer   string `json:"iss"`
	Subject  string `json:"sub"`
	Audience string `json:"aud"`
	Nonce    string `json:"nonce"`
	Expires  int64  `json:"exp"`
}

// verify checks an ID token: its signature, issuer, audience, nonce and expiry.
func (l *login) verify(ctx context.Context, server provider, token, client, nonce string) (claims, error) {
	var said claims
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return said, errors.New("the token endpoint gave no ID token")
	}
	key, err := l.keyOf(ctx, server, parts[0])
	if err != nil {
		return said, err
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return said, fmt.Errorf("signature: %w", err)
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err := rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature); err != nil {
		return said, fmt.Errorf("signature: %w", err)
	}
	if err := decode(parts[1], &said); err != nil {
		return said, err
	}
	if said.Issuer != server.Issuer || said.Audience != client || said.Nonce != nonce ||
		time.Now().Unix() > said.Expires {
		return said, errors.New("the ID token is of another issuer, client or login, or has expired")
	}
	return said, nil
}

// keyOf returns the provider's public key that a token's header names.
func (l *login) keyOf(ctx context.Context, server provider, header string) (*rsa.PublicKey, error) {
	var named struct {
		Kid string `json:"kid"`
		Alg string `json:"alg"`
	}
	if err := decode(header, &named); err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.Keys, nil)
	if err != nil {
		return nil, err
	}
	var set struct {
		Keys []struct{ Kid, N, E string }
	}
	if err := l.get(request, &set); err != nil {
		return nil, err
	}
	for _, key := range set.Keys {
		if key.Kid != named.Kid || named.Alg != "RS256" {
			continue
		}
		n, err := base64.RawURLEncoding.DecodeString(key.N)
		e, err2 := base64.RawURLEncoding.DecodeString(key.E)
		return &rsa.PublicKey{N: new(big.Int).SetBytes(n),
			E: int(new(big.Int).SetBytes(e).Int64())}, errors.Join(err, err2)
	}
	return nil, fmt.Errorf("no key %q of algorithm RS256", named.Kid)
}

func decode(part string, into any) error {
	body, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return fmt.Errorf("token: %w", err)
	}
	return json.Unmarshal(body, into)
}

// box encrypts values for cookies.
type box struct{ aead cipher.AEAD }

func newBox(secret string) (*box, error) {
	if len(secret) < 16 {
		return nil, errors.New("session.secret: expected at least 16 characters") // openid-connect's schema
	}
	key := sha256.Sum256([]byte(secret))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	return &box{aead}, err
}

func (b *box) seal(value any) (string, error) {
	body, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	nonce := make([]byte, b.aead.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b.aead.Seal(nonce, nonce, body, nil)), nil
}

func (b *box) open(sealed string, into any) error {
	body, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil || len(body) < b.aead.NonceSize() {
		return errors.New("the cookie is not of this session")
	}
	plain, err := b.aead.Open(nil, body[:b.aead.NonceSize()], body[b.aead.NonceSize():], nil)
	if err != nil {
		return errors.New("the cookie is not of this session")
	}
	return json.Unmarshal(plain, into)
}

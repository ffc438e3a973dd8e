package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// signed is a certificate and its key.
type signed struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// sign returns a certificate that by signs. If by is nil, it is self-signed.
func sign(t *testing.T, by *signed, from, to time.Time, names ...string) *signed {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: strings.Join(append(names, "ca")[:1], "")},
		NotBefore:    from, NotAfter: to,
		DNSNames: names, IsCA: len(names) == 0, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	parent, signer := template, key
	if by != nil {
		parent, signer = by.certificate, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &signed{certificate, key}
}

func (s *signed) pem() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.certificate.Raw}))
}

func (s *signed) keyPEM(t *testing.T) string {
	t.Helper()
	der, err := x509.MarshalECPrivateKey(s.key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}))
}

// folder returns a folder that looks like a mounted Secret.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestCheckAcceptsOnlyUsableCertificatePair(t *testing.T) {
	yesterday, tomorrow := now.Add(-24*time.Hour), now.Add(24*time.Hour)
	root, other := sign(t, nil, yesterday, tomorrow), sign(t, nil, yesterday, tomorrow)
	middle := sign(t, root, yesterday, tomorrow)
	leaf := sign(t, middle, yesterday, tomorrow, "shop.test", "*.shop.test")
	alone := sign(t, root, yesterday, tomorrow, "shop.test")
	expired := sign(t, root, yesterday, now.Add(-time.Minute), "shop.test")
	future := sign(t, root, now.Add(time.Minute), tomorrow, "shop.test")
	chain := leaf.pem() + middle.pem()
	for _, test := range []struct {
		name     string
		crt, key string
		ca       string
		names    []string
		want     string
	}{
		{"a chain to the CA", chain, leaf.keyPEM(t), root.pem(),
			[]string{"shop.test", "a.shop.test", "*.shop.test"}, ""},
		{"a chain without the CA", chain, leaf.keyPEM(t), "", nil, ""},
		{"a certificate that the CA signed directly", alone.pem(), alone.keyPEM(t), root.pem(), nil, ""},
		{"nothing", "", "", "", nil, "tls.crt: is not there yet"},
		{"no key", chain, "", "", nil, "tls.key: is not there yet"},
		{"half a file", chain[:100], leaf.keyPEM(t), "", nil, "tls.crt and tls.key:"},
		{"the key of another certificate", chain, alone.keyPEM(t), "", nil, "private key does not match"},
		{"a chain that does not link", leaf.pem() + other.pem(), leaf.keyPEM(t), "", nil,
			"is not signed by the one after it"},
		{"another CA", chain, leaf.keyPEM(t), other.pem(), nil, "does not lead to ca.crt"},
		{"expired", expired.pem(), expired.keyPEM(t), root.pem(), nil,
			"is valid until 2026-06-01T11:59:00Z only"},
		{"a clock that is behind", future.pem(), future.keyPEM(t), root.pem(), nil,
			"this node's clock says 2026-06-01T12:00:00Z"},
		{"another name", chain, leaf.keyPEM(t), root.pem(), []string{"cart.test"},
			"expected cart.test"},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{}
			for name, text := range map[string]string{"tls.crt": test.crt, "tls.key": test.key, "ca.crt": test.ca} {
				if text != "" {
					files[name] = text
				}
			}
			err := check(folder(t, files), test.names, now, time.Hour)
			switch {
			case test.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("said %v, expected %q", err, test.want)
			}
		})
	}
}

func TestCheckRejectsSoonExpiringCertificate(t *testing.T) {
	leaf := sign(t, nil, now.Add(-time.Hour), now.Add(30*time.Minute), "shop.test")
	dir := folder(t, map[string]string{"tls.crt": leaf.pem(), "tls.key": leaf.keyPEM(t)})
	if err := check(dir, nil, now, 0); err != nil {
		t.Errorf("it is valid now: %v", err)
	}
	if err := check(dir, nil, now, time.Hour); err == nil {
		t.Error("it expires within the hour that was asked for, and passed")
	}
}

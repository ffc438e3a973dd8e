package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// check checks the key and certificate in a folder. It returns nil if an application can serve with
// them, otherwise the problem.
func check(dir string, names []string, now time.Time, remaining time.Duration) error {
	chain, err := pair(dir)
	if err != nil {
		return err
	}
	for i, certificate := range chain {
		switch {
		case now.Before(certificate.NotBefore):
			return fmt.Errorf("tls.crt: %s is valid only from %s on, and this node's clock says %s",
				describeCertificate(i, certificate), stamp(certificate.NotBefore), stamp(now))
		case !now.Add(remaining).Before(certificate.NotAfter):
			return fmt.Errorf("tls.crt: %s is valid until %s only", describeCertificate(i, certificate),
				stamp(certificate.NotAfter))
		}
	}
	if err := checkChain(dir, chain, now); err != nil {
		return err
	}
	for _, name := range names {
		if !covers(chain[0], name) {
			return fmt.Errorf("tls.crt: is for %s, expected %s",
				strings.Join(chain[0].DNSNames, ", "), name)
		}
	}
	return nil
}

// pair reads the key and the certificate chain, and checks that the key is that of the first
// certificate.
func pair(dir string) ([]*x509.Certificate, error) {
	var texts [2][]byte
	for i, file := range []string{"tls.crt", "tls.key"} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil, fmt.Errorf("%s: is not there yet: the Certificate is not issued", file)
		case err != nil:
			return nil, err
		case len(text) == 0:
			return nil, fmt.Errorf("%s: is empty", file)
		}
		texts[i] = text
	}
	loaded, err := tls.X509KeyPair(texts[0], texts[1])
	if err != nil {
		return nil, fmt.Errorf("tls.crt and tls.key: %w", err)
	}
	var chain []*x509.Certificate
	for _, der := range loaded.Certificate {
		certificate, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, fmt.Errorf("tls.crt: %w", err)
		}
		chain = append(chain, certificate)
	}
	return chain, nil
}

// checkChain checks that each certificate of the chain is signed by the next one. If the Secret has
// ca.crt, it also checks that the chain leads to this CA.
func checkChain(dir string, chain []*x509.Certificate, now time.Time) error {
	for i, certificate := range chain[:len(chain)-1] {
		if err := certificate.CheckSignatureFrom(chain[i+1]); err != nil {
			return fmt.Errorf("tls.crt: %s is not signed by the one after it: %w",
				describeCertificate(i, certificate), err)
		}
	}
	authority, err := os.ReadFile(filepath.Join(dir, "ca.crt"))
	if err != nil || len(authority) == 0 {
		return nil // some issuers supply no authority
	}
	options := x509.VerifyOptions{
		Roots: x509.NewCertPool(), Intermediates: x509.NewCertPool(), CurrentTime: now,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
	}
	if !options.Roots.AppendCertsFromPEM(authority) {
		return errors.New("ca.crt: has no certificate in PEM")
	}
	for _, certificate := range chain[1:] {
		options.Intermediates.AddCert(certificate)
	}
	if _, err := chain[0].Verify(options); err != nil {
		return fmt.Errorf("tls.crt: does not lead to ca.crt: %w", err)
	}
	return nil
}

// covers reports whether a certificate is for a name. A wildcard in name must be in the certificate
// literally.
func covers(certificate *x509.Certificate, name string) bool {
	return slices.Contains(certificate.DNSNames, name) || certificate.VerifyHostname(name) == nil
}

func describeCertificate(i int, certificate *x509.Certificate) string {
	return fmt.Sprintf("certificate %d (%s)", i+1, certificate.Subject)
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

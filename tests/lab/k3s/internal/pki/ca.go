package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/util/keyutil"
)

const (
	caLife   = 10 * 365 * 24 * time.Hour // K3s: ten years
	certLife = 365 * 24 * time.Hour      // K3s: one year
)

// CA is a certificate authority on disk: a certificate file and its key file.
type CA struct {
	CertPEM []byte
	cert    *x509.Certificate
	key     crypto.Signer
}

// Options describe a certificate to sign.
type Options struct {
	CommonName    string
	Organizations []string
	Usages        []x509.ExtKeyUsage
	Names         Names
}

// ensureCA loads the authority base.crt/base.key or makes it.
func ensureCA(base, name string) (*CA, error) {
	if _, err := os.Stat(base + ".crt"); os.IsNotExist(err) {
		if err := createCA(base, name); err != nil {
			return nil, fmt.Errorf("create %s: %w", name, err)
		}
	}
	return LoadCA(base)
}

// LoadCA reads base.crt and base.key.
func LoadCA(base string) (*CA, error) {
	certPEM, err := os.ReadFile(base + ".crt")
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(certPEM)
	if block == nil {
		return nil, fmt.Errorf("%s.crt: expected a PEM certificate, found none", base)
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s.crt: %w", base, err)
	}
	key, err := loadKey(base + ".key")
	if err != nil {
		return nil, err
	}
	return &CA{CertPEM: certPEM, cert: cert, key: key}, nil
}

func createCA(base, name string) error {
	key, err := ensureKey(base + ".key")
	if err != nil {
		return err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(0),
		Subject:               pkix.Name{CommonName: fmt.Sprintf("%s@%d", name, now.Unix())},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(caLife),
		KeyUsage:              x509.KeyUsageKeyEncipherment | x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	return os.WriteFile(base+".crt", encodeCert(der), 0o644)
}

// Sign makes a certificate for a public key and returns it with the authority's own behind it, as K3s does.
func (ca *CA) Sign(public crypto.PublicKey, o Options) ([]byte, error) {
	serial, err := rand.Int(rand.Reader, big.NewInt(math.MaxInt64))
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: o.CommonName, Organization: o.Organizations},
		DNSNames:     o.Names.DNS,
		IPAddresses:  o.Names.IPs,
		NotBefore:    ca.cert.NotBefore,
		NotAfter:     time.Now().Add(certLife),
		KeyUsage:     x509.KeyUsageKeyEncipherment | x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  o.Usages,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, ca.cert, public, ca.key)
	if err != nil {
		return nil, fmt.Errorf("sign certificate for %s: %w", o.CommonName, err)
	}
	return append(encodeCert(der), ca.CertPEM...), nil
}

// Issue writes base.crt for the key base.key, which it makes when it is absent. The certificate is
// renewed at every start, so a changed address list takes effect.
func (ca *CA) Issue(base string, o Options) error {
	key, err := ensureKey(base + ".key")
	if err != nil {
		return err
	}
	cert, err := ca.Sign(key.Public(), o)
	if err != nil {
		return err
	}
	return os.WriteFile(base+".crt", cert, 0o644)
}

func ensureKey(path string) (crypto.Signer, error) {
	if _, err := os.Stat(path); err == nil {
		return loadKey(path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	data, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		return nil, err
	}
	return key, os.WriteFile(path, data, 0o600)
}

func loadKey(path string) (crypto.Signer, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	key, err := keyutil.ParsePrivateKeyPEM(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("%s: expected a signing key, found %T", path, key)
	}
	return signer, nil
}

func encodeCert(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

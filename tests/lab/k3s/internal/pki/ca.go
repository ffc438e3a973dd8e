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
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"k8s.io/client-go/util/keyutil"
)

const (
	caLife = 10 * 365 * 24 * time.Hour // K3s: ten years
	// certDays is the validity of a certificate in days, unless the environment variable
	// lifeVariable sets another (rancher/dynamiclistener cert/cert.go).
	certDays     = 365
	lifeVariable = "CATTLE_NEW_SIGNED_CERT_EXPIRATION_DAYS"
	// renewWithin is the remaining validity below which a start renews a certificate (k3s-io/k3s
	// pkg/daemons/config/types.go, CertificateRenewDays).
	renewWithin = 120 * 24 * time.Hour
)

// certLife returns the validity of a new certificate.
func certLife() time.Duration {
	days, err := strconv.Atoi(os.Getenv(lifeVariable))
	if err != nil || days <= 0 {
		days = certDays
	}
	return time.Duration(days) * 24 * time.Hour
}

// CA is a certificate authority: a certificate and its private key.
type CA struct {
	CertPEM []byte
	cert    *x509.Certificate
	key     crypto.Signer
}

// Options describes a certificate to sign.
type Options struct {
	CommonName    string
	Organizations []string
	Usages        []x509.ExtKeyUsage
	Names         Names
}

// ensureCA loads the CA in base.crt and base.key, or creates it.
func ensureCA(base, name string) (*CA, error) {
	if _, err := os.Stat(base + ".crt"); os.IsNotExist(err) {
		if err := createCA(base, name); err != nil {
			return nil, fmt.Errorf("create %s: %w", name, err)
		}
	}
	return LoadCA(base)
}

// LoadCA loads the CA in base.crt and base.key.
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

// Sign signs a certificate for a public key. It returns the certificate followed by the CA's, in
// PEM, as K3s does.
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
		NotAfter:     time.Now().Add(certLife()),
		KeyUsage:     x509.KeyUsageKeyEncipherment | x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  o.Usages,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, ca.cert, public, ca.key)
	if err != nil {
		return nil, fmt.Errorf("sign certificate for %s: %w", o.CommonName, err)
	}
	return append(encodeCert(der), ca.CertPEM...), nil
}

// Issue writes the certificate base.crt for the key base.key, which it generates if it is missing.
// As in K3s, it renews an existing certificate only within renewWithin of its end, or if its names
// have changed (k3s-io/k3s pkg/daemons/control/deps/deps.go, createClientCertKey, sansChanged).
func (ca *CA) Issue(base string, o Options) error {
	key, err := ensureKey(base + ".key")
	if err != nil {
		return err
	}
	if ca.stays(base+".crt", key.Public(), o.Names) {
		return nil
	}
	cert, err := ca.Sign(key.Public(), o)
	if err != nil {
		return err
	}
	return os.WriteFile(base+".crt", cert, 0o644)
}

// stays reports whether the certificate in a file can stay: it is valid for the CA, the public key
// and the names, and does not expire within renewWithin.
func (ca *CA) stays(path string, public crypto.PublicKey, names Names) bool {
	data, err := os.ReadFile(path)
	block, _ := pem.Decode(data)
	if err != nil || block == nil {
		return false
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil || cert.CheckSignatureFrom(ca.cert) != nil || time.Until(cert.NotAfter) < renewWithin {
		return false
	}
	known, same := cert.PublicKey.(interface{ Equal(crypto.PublicKey) bool })
	return same && known.Equal(public) && slices.Equal(cert.DNSNames, names.DNS) &&
		slices.EqualFunc(cert.IPAddresses, names.IPs, func(a, b net.IP) bool { return a.Equal(b) })
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

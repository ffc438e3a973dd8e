package pki

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/util/keyutil"
)

// Server has the CAs and certificates of a K3s server.
type Server struct {
	// Dir is the server's folder, usually /var/lib/rancher/k3s/server.
	Dir string
	// Names are the names in the serving certificates.
	Names Names

	ClientCA, ServerCA *CA
}

// Path returns the path of a file below tls/.
func (s *Server) Path(name string) string { return filepath.Join(s.Dir, "tls", name) }

// Cred returns the path of a file below cred/.
func (s *Server) Cred(name string) string { return filepath.Join(s.Dir, "cred", name) }

// Bootstrap lists the files that all servers of a cluster share, relative to tls/ (k3s-io/k3s
// pkg/daemons/config, ControlRuntimeBootstrap).
var Bootstrap = []string{
	"client-ca.crt", "client-ca.key", "server-ca.crt", "server-ca.key", "request-header-ca.crt", "request-header-ca.key",
	"etcd/server-ca.crt", "etcd/server-ca.key", "etcd/peer-ca.crt", "etcd/peer-ca.key",
	"service.key", "../cred/encryption-config.json",
}

// Material returns the contents of the existing files of Bootstrap. encryption-config.json is
// optional.
func (s *Server) Material() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range Bootstrap {
		data, err := os.ReadFile(s.Path(name))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		files[name] = data
	}
	return files, nil
}

// Ensure creates missing files: CAs first, then certificates, keys and kubeconfigs.
func (s *Server) Ensure(apiPort int) error {
	for _, dir := range []string{s.Path("etcd"), s.Path("temporary-certs"), s.Cred("")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if err := ensureServiceKey(s.Path("service.key")); err != nil {
		return fmt.Errorf("service account key: %w", err)
	}
	if err := s.ensureAuthorities(); err != nil {
		return err
	}
	return s.ensureKubeconfigs(apiPort)
}

func (s *Server) ensureAuthorities() error {
	var err error
	if s.ClientCA, err = ensureCA(s.Path("client-ca"), "k3s-client-ca"); err != nil {
		return err
	}
	if s.ServerCA, err = ensureCA(s.Path("server-ca"), "k3s-server-ca"); err != nil {
		return err
	}
	headers, err := ensureCA(s.Path("request-header-ca"), "k3s-request-header-ca")
	if err != nil {
		return err
	}
	etcd, err := ensureCA(s.Path("etcd/server-ca"), "etcd-server-ca")
	if err != nil {
		return err
	}
	peers, err := ensureCA(s.Path("etcd/peer-ca"), "etcd-peer-ca")
	if err != nil {
		return err
	}
	return s.issue(headers, etcd, peers)
}

type leaf struct {
	ca   *CA
	name string
	opts Options
}

func (s *Server) issue(headers, etcd, peers *CA) error {
	client := []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	serving := []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	both := []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	masters := []string{"system:masters"}
	leaves := []leaf{
		{s.ClientCA, "client-admin", Options{CommonName: "system:admin", Organizations: masters, Usages: client}},
		{s.ClientCA, "client-supervisor", Options{CommonName: "system:k3s-supervisor", Organizations: masters, Usages: client}},
		{s.ClientCA, "client-controller", Options{CommonName: "system:kube-controller-manager", Usages: client}},
		{s.ClientCA, "client-scheduler", Options{CommonName: "system:kube-scheduler", Usages: client}},
		{s.ClientCA, "client-kube-apiserver", Options{CommonName: "system:apiserver", Organizations: masters, Usages: client}},
		{headers, "client-auth-proxy", Options{CommonName: "system:auth-proxy", Usages: client}},
		{s.ServerCA, "serving-kube-apiserver", Options{CommonName: "kube-apiserver", Usages: serving, Names: s.Names}},
		{etcd, "etcd/server-client", Options{CommonName: "etcd-server", Usages: both, Names: s.Names}},
		{etcd, "etcd/client", Options{CommonName: "etcd-client", Usages: client}},
		{peers, "etcd/peer-server-client", Options{CommonName: "etcd-peer", Usages: both, Names: s.Names}},
	}
	for _, l := range leaves {
		if err := l.ca.Issue(s.Path(l.name), l.opts); err != nil {
			return err
		}
	}
	return nil
}

// ensureServiceKey generates the RSA key that signs service account tokens, unless it exists.
func ensureServiceKey(path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	data, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// files are the ports, credentials and paths of one control plane.
type files struct {
	dir                                  string
	etcdPort, etcdPeerPort, port, unused int
	token                                string
	config                               *api.Config
}

func newFiles(dir string) (*files, error) {
	if dir == "" {
		return nil, fmt.Errorf("-dir is empty; name an empty folder")
	}
	f := &files{dir: dir}
	if err := freePorts(&f.etcdPort, &f.etcdPeerPort, &f.port, &f.unused); err != nil {
		return nil, err
	}
	if err := f.writeKey(); err != nil {
		return nil, err
	}
	if err := f.writeToken(); err != nil {
		return nil, err
	}
	f.config = f.kubeconfig()
	// The controller manager needs a kubeconfig before the server is ready. It gets another file,
	// because the file kubeconfig shows that the server is ready.
	return f, clientcmd.WriteToFile(*f.config, f.path("manager.kubeconfig"))
}

func (f *files) path(name string) string { return filepath.Join(f.dir, name) }

// freePorts finds unused ports. It keeps all of them open until the last one is found.
func freePorts(ports ...*int) error {
	for _, port := range ports {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return fmt.Errorf("looking for a free port: %w", err)
		}
		defer func() { _ = listener.Close() }()
		*port = listener.Addr().(*net.TCPAddr).Port
	}
	return nil
}

func (f *files) writeKey() error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return fmt.Errorf("making the service account key: %w", err)
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY",
		Bytes: x509.MarshalPKCS1PrivateKey(key)})
	return os.WriteFile(f.path("sa.key"), block, 0o600)
}

func (f *files) writeToken() error {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return fmt.Errorf("making the token: %w", err)
	}
	f.token = hex.EncodeToString(random)
	line := f.token + ",admin,admin,\"system:masters\"\n"
	return os.WriteFile(f.path("tokens.csv"), []byte(line), 0o600)
}

func (f *files) kubeconfig() *api.Config {
	config := api.NewConfig()
	config.Clusters["conformance"] = &api.Cluster{
		Server: fmt.Sprintf("https://127.0.0.1:%d", f.port),
		// kube-apiserver generates a certificate for 127.0.0.1, and appends the CA to this file.
		CertificateAuthority: f.path("certs/apiserver.crt"),
	}
	config.AuthInfos["admin"] = &api.AuthInfo{Token: f.token}
	config.Contexts["conformance"] = &api.Context{Cluster: "conformance", AuthInfo: "admin"}
	config.CurrentContext = "conformance"
	return config
}

func (f *files) apiserver() []string {
	return []string{
		"--etcd-servers=" + fmt.Sprintf("http://127.0.0.1:%d", f.etcdPort),
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", f.port),
		"--cert-dir=" + f.path("certs"), "--token-auth-file=" + f.path("tokens.csv"),
		"--service-account-key-file=" + f.path("sa.key"),
		"--service-account-signing-key-file=" + f.path("sa.key"),
		"--service-account-issuer=https://conformance.local",
		"--authorization-mode=RBAC", "--service-cluster-ip-range=10.98.0.0/16",
		"--allow-privileged=true", "--disable-admission-plugins=ServiceAccount",
	}
}

func (f *files) manager() []string {
	return []string{
		"--kubeconfig=" + f.path("manager.kubeconfig"), "--leader-elect=false",
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", f.unused),
		"--cert-dir=" + f.path("certs"), "--service-account-private-key-file=" + f.path("sa.key"),
		"--use-service-account-credentials=false", "--concurrent-gc-syncs=5",
	}
}

package pki

import (
	"fmt"
	"os"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

func (s *Server) ensureKubeconfigs(apiPort int) error {
	url := fmt.Sprintf("https://127.0.0.1:%d", apiPort)
	for name, cert := range map[string]string{
		"admin": "client-admin", "supervisor": "client-supervisor", "controller": "client-controller", "scheduler": "client-scheduler",
	} {
		err := WriteKubeconfig(s.Cred(name+".kubeconfig"), url, s.Path("server-ca.crt"), s.Path(cert+".crt"), s.Path(cert+".key"))
		if err != nil {
			return err
		}
	}
	return nil
}

// WriteKubeconfig writes a kubeconfig with mode 0600 that refers to certificate and key files.
func WriteKubeconfig(path, url, ca, cert, key string) error {
	cfg := kubeconfig(url)
	cfg.Clusters["local"].CertificateAuthority = ca
	cfg.AuthInfos["user"].ClientCertificate = cert
	cfg.AuthInfos["user"].ClientKey = key
	return clientcmd.WriteToFile(*cfg, path)
}

func kubeconfig(url string) *api.Config {
	cfg := api.NewConfig()
	cfg.Clusters["local"] = &api.Cluster{Server: url}
	cfg.AuthInfos["user"] = &api.AuthInfo{}
	cfg.Contexts["Default"] = &api.Context{Cluster: "local", AuthInfo: "user"}
	cfg.CurrentContext = "Default"
	return cfg
}

// WriteAdminKubeconfig writes the kubeconfig for users, /etc/rancher/k3s/k3s.yaml. It contains
// certificate and key, and its cluster, user and context are called "default" (k3s-io/k3s
// pkg/server, writeKubeConfig).
func (s *Server) WriteAdminKubeconfig(path string, port int, mode os.FileMode) error {
	cert, err := os.ReadFile(s.Path("client-admin.crt"))
	if err != nil {
		return err
	}
	key, err := os.ReadFile(s.Path("client-admin.key"))
	if err != nil {
		return err
	}
	cfg := api.NewConfig()
	cfg.Clusters["default"] = &api.Cluster{
		Server: fmt.Sprintf("https://127.0.0.1:%d", port), CertificateAuthorityData: s.ServerCA.CertPEM,
	}
	cfg.AuthInfos["default"] = &api.AuthInfo{ClientCertificateData: cert, ClientKeyData: key}
	cfg.Contexts["default"] = &api.Context{Cluster: "default", AuthInfo: "default"}
	cfg.CurrentContext = "default"
	if err := clientcmd.WriteToFile(*cfg, path); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}

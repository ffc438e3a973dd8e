package credential

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"

	"strata/internal/kube/apiserver"
)

// LocalServer is the API server address in K3s's own kubeconfig and in the issued ones.
const LocalServer = "https://127.0.0.1:6443"

// read parses a kubeconfig. Its errors do not quote the content, which is secret.
func read(kubeconfig []byte) (*rest.Config, error) {
	config, err := apiserver.Access{Kubeconfig: kubeconfig}.Config()
	if err != nil || len(config.CAData) == 0 {
		return nil, errors.New("expected a kubeconfig with a CA, found none")
	}
	return config, nil
}

// endOf returns the expiry of the first certificate in a PEM text; zero if the text is empty.
func endOf(text []byte) (time.Time, error) {
	certificate, err := parse(text)
	if err != nil || certificate == nil {
		return time.Time{}, err
	}
	return certificate.NotAfter, nil
}

// parse returns the first certificate in a PEM text; nil if the text is empty.
func parse(text []byte) (*x509.Certificate, error) {
	if len(text) == 0 {
		return nil, nil
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("client certificate: expected PEM, found none")
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("client certificate: %w", err)
	}
	return certificate, nil
}

// request generates a private key and a certificate request for a user, both in PEM.
func request(user string) (key, csr []byte, err error) {
	key, err = keyutil.MakeEllipticPrivateKeyPEM()
	if err != nil {
		return nil, nil, err
	}
	private, err := keyutil.ParsePrivateKeyPEM(key)
	if err != nil {
		return nil, nil, err
	}
	csr, err = cert.MakeCSR(private, &pkix.Name{CommonName: user}, nil, nil)
	return key, csr, err
}

// kubeconfig returns a kubeconfig with a user's client certificate.
func kubeconfig(user string, ca, certificate, key []byte) ([]byte, error) {
	config := clientcmdapi.NewConfig()
	config.Clusters["default"] = &clientcmdapi.Cluster{Server: LocalServer,
		CertificateAuthorityData: ca}
	config.AuthInfos[user] = &clientcmdapi.AuthInfo{ClientCertificateData: certificate,
		ClientKeyData: key}
	config.Contexts["default"] = &clientcmdapi.Context{Cluster: "default", AuthInfo: user}
	config.CurrentContext = "default"
	return clientcmd.Write(*config)
}

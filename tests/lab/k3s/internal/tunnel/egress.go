package tunnel

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/apis/apiserver/v1beta1"
)

// WriteEgress writes the configuration that makes the API server dial through the supervisor at url
// (k3s-io/k3s pkg/daemons/control/deps/deps.go, genEgressSelectorConfig). ca, cert and key are the
// paths of the supervisor's CA and of the API server's client certificate.
func WriteEgress(file, url, ca, cert, key string) error {
	data, err := json.Marshal(v1beta1.EgressSelectorConfiguration{
		TypeMeta: metav1.TypeMeta{
			Kind: "EgressSelectorConfiguration", APIVersion: v1beta1.SchemeGroupVersion.String(),
		},
		EgressSelections: []v1beta1.EgressSelection{{Name: "cluster", Connection: v1beta1.Connection{
			ProxyProtocol: v1beta1.ProtocolHTTPConnect,
			Transport: &v1beta1.Transport{TCP: &v1beta1.TCPTransport{
				URL:       url,
				TLSConfig: &v1beta1.TLSConfig{CABundle: ca, ClientCert: cert, ClientKey: key},
			}},
		}}},
	})
	if err != nil {
		return fmt.Errorf("egress selector: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o600)
}

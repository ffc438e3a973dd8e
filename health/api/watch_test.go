package api

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"strata/health/healthtest"
)

func kubeconfigOf(t *testing.T, user *clientcmdapi.AuthInfo) []byte {
	t.Helper()
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: "https://10.10.0.11:6443"}
	config.AuthInfos["u"] = user
	config.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	config.CurrentContext = "x"
	text, err := clientcmd.Write(*config)
	require.NoError(t, err)
	return text
}

func TestKubeconfigExpiresWithClientCertificate(t *testing.T) {
	t.Parallel()
	issued := healthtest.Issue(t, "strata", nil, healthtest.AsLeaf)
	key := issued.Secret(t)["tls.key"]
	for name, c := range map[string]struct {
		kubeconfig []byte
		want       time.Time
	}{
		"a certificate": {
			kubeconfigOf(t, &clientcmdapi.AuthInfo{ClientCertificateData: issued.Pem(),
				ClientKeyData: key}),
			healthtest.PairStart.Add(10 * time.Hour),
		},
		"a token":               {kubeconfigOf(t, &clientcmdapi.AuthInfo{Token: "x"}), time.Time{}},
		"an invalid kubeconfig": {[]byte("{"), time.Time{}},
		"an unreadable certificate": {kubeconfigOf(t,
			&clientcmdapi.AuthInfo{ClientCertificateData: []byte("x"), ClientKeyData: key}),
			time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, endOf(c.kubeconfig))
		})
	}
}

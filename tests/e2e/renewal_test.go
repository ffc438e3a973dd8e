package e2e

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"maps"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/keyutil"
)

// life is how long a client certificate lives here, where K3s signs for no longer: a third of it is more than an up takes on two busy cores.
const life = 2 * time.Minute

// outlivesItsCertificates has certificates end: the stack's is renewed by ups, and by one that comes too late; K3s's own by a restart. It
// leaves a stack whose certificate ends in two minutes.
func (s *stack) outlivesItsCertificates(t *testing.T, hosts *hostSet, sections map[string]any) {
	sections = maps.Clone(sections)
	sections["k3s"] = map[string]any{
		"clientCertificateLifetime": life.String(),
		"serverArgs":                map[string]any{"kube-controller-manager-arg": []any{"cluster-signing-duration=" + life.String()}},
	}
	s.configure(sections)
	s.must(s.up()) // asks before it restarts K3s, which signed for 10 minutes at least
	before := s.certificate(t)
	for renewal := range 3 {
		time.Sleep(time.Until(nextGeneration())) // the calendar is the clock's
		if renewal == 0 {
			preview := s.must(s.pulumi("preview"))
			assert.Contains(t, preview.output, "k3s-credential")
			assert.NotContains(t, preview.output, " to replace", "of the sums at its end")
			assert.NotContains(t, preview.output, " to delete")
		}
		s.must(s.up())
		now := s.certificate(t)
		assert.NotEqual(t, before.SerialNumber, now.SerialNumber, "renewal %d", renewal+1)
		assert.Equal(t, "strata:"+s.name, now.Subject.CommonName)
		assert.WithinDuration(t, time.Now().Add(life), now.NotAfter, life)
		assert.Len(t, nodeNames(t, s.client()), len(hosts.nodes), "its user may look at everything")
		s.must(s.health("--gate", "k3s-api"))
		before = now
	}
	hosts.endK3s(t, "server-1")
	time.Sleep(time.Until(before.NotAfter.Add(time.Second)))
	s.refused(t, s.health("--gate", "k3s-api"), "the kubeconfig's client certificate ended at", "pulumi up issues another one")
	up := s.must(s.up())
	assert.Contains(t, up.output, "K3s's own certificates on server-1")
	assert.Contains(t, up.output, "K3s is restarted there")
	s.must(s.health("--gate", "k3s-api", "--gate", "k3s-nodes"))
}

// nextGeneration is when the calendar has another one: it is renewed at a third of its life.
func nextGeneration() time.Time { return time.Now().Truncate(life / 3).Add(life / 3) }

// certificate is the client certificate of the stack's kubeconfig.
func (s *stack) certificate(t *testing.T) *x509.Certificate {
	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(s.output("kubeconfig")))
	require.NoError(t, err)
	return parsed(t, config.CertData)
}

func parsed(t *testing.T, text []byte) *x509.Certificate {
	block, _ := pem.Decode(text)
	require.NotNil(t, block)
	certificate, err := x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	return certificate
}

// endK3s gives a server certificates of K3s's own that have ended, as a year without a restart does.
func (l *hostSet) endK3s(t *testing.T, server string) {
	const tls, own = "/var/lib/rancher/k3s/server/tls/", "/etc/rancher/k3s/k3s.yaml"
	ca := parsed(t, []byte(l.must(server, "cat "+tls+"client-ca.crt")))
	signing, err := keyutil.ParsePrivateKeyPEM([]byte(l.must(server, "cat "+tls+"client-ca.key")))
	require.NoError(t, err)
	key, err := keyutil.ParsePrivateKeyPEM([]byte(l.must(server, "cat "+tls+"client-admin.key")))
	require.NoError(t, err)
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "system:admin", Organization: []string{"system:masters"}},
		NotBefore: ca.NotBefore, NotAfter: time.Now().Add(-time.Minute), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, ca, key.(*ecdsa.PrivateKey).Public(), signing)
	require.NoError(t, err)
	ended := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	config, err := clientcmd.Load([]byte(l.must(server, "cat "+own)))
	require.NoError(t, err)
	config.AuthInfos["default"].ClientCertificateData = ended
	text, err := clientcmd.Write(*config)
	require.NoError(t, err)
	for path, content := range map[string][]byte{tls + "client-admin.crt": ended, own: text} {
		l.must(server, "echo "+base64.StdEncoding.EncodeToString(content)+" | base64 -d > "+path)
	}
}

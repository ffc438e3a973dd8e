package e2e

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/keyutil"
)

// shortestLife is the shortest lifetime of client certificates in this story. A third of it is
// longer than an update on two busy processors. If updates take longer, the story uses a longer
// lifetime.
const shortestLife = 2 * time.Minute

// generation is the configured kubeconfigGeneration after the first kubeconfigs are revoked.
const generation = 1

// revokesKubeconfigs changes the stack's user. Earlier kubeconfigs must be refused at once,
// although their certificates are valid for a year.
func (s *stack) revokesKubeconfigs(t *testing.T, hosts *hostSet, sections map[string]any) {
	leaked, reader := s.client(), s.onlyReads(t)
	assert.Len(t, nodeNames(t, leaked), len(hosts.nodes))
	revoked, before := maps.Clone(sections), maps.Clone(sections)
	revoked["k3s"] = map[string]any{"kubeconfigGeneration": generation}
	before["k3s"] = map[string]any{}
	s.configure(revoked)
	s.must(s.up())
	_, err := leaked.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.True(t, apierrors.IsForbidden(err), "%v", err)
	_, err = reader.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.True(t, apierrors.IsForbidden(err), "%v", err)
	assert.Len(t, nodeNames(t, s.client()), len(hosts.nodes))
	s.onlyReads(t)
	s.must(s.up("--expect-no-changes"))
	s.configure(before)
	s.refused(t, s.up(), "strata:k3s.kubeconfigGeneration: expected at least that of user strata:"+
		s.name+":1")
	_, err = leaked.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.True(t, apierrors.IsForbidden(err), "%v", err)
	s.configure(revoked)
}

// onlyReads runs `strata health` with the reader's kubeconfig and without the passphrase. Each gate
// must pass or name the permission that the reader lacks. The API server must forbid the reader
// Secrets and all writes. onlyReads returns the reader's client.
func (s *stack) onlyReads(t *testing.T) *kubernetes.Clientset {
	t.Helper()
	file := filepath.Join(t.TempDir(), "reader.kubeconfig")
	s.must(s.run(strata, "kubeconfig", "--stack", s.name, "--reader", "--output", file))
	command := s.command(root, strata, "health", "--stack", s.name, "--config-file", s.config,
		"--kubeconfig", file, "--timeout", silence.String())
	command.Env = slices.DeleteFunc(slices.Clone(s.env),
		func(one string) bool { return strings.HasPrefix(one, "PULUMI_CONFIG_PASSPHRASE") })
	health := s.must(s.finish(command))
	for _, text := range []string{"k3s-server-1-gate needs a login on the host (SSH)", "metallb-webhook needs dry runs (create)", "k3s-nodes needs a login on hosts"} {
		assert.Contains(t, health.output, text)
	}
	assert.Regexp(t, `k3s-api +Ready`, health.output)
	config, err := clientcmd.BuildConfigFromFlags("", file)
	require.NoError(t, err)
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	core := client.CoreV1()
	_, secrets := core.Secrets("kube-system").List(t.Context(), metav1.ListOptions{})
	_, configMaps := core.ConfigMaps("kube-system").List(t.Context(), metav1.ListOptions{})
	_, namespace := core.Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "reader"}}, metav1.CreateOptions{})
	_, proxied := core.Services("default").ProxyGet("https", "kubernetes", "443", "/",
		nil).DoRaw(t.Context())
	for what, err := range map[string]error{
		"Secrets": secrets, "ConfigMaps": configMaps, "a Namespace": namespace, "a proxy": proxied,
		"a Node": core.Nodes().Delete(t.Context(), "server-1", metav1.DeleteOptions{}),
	} {
		assert.True(t, apierrors.IsForbidden(err), "%s: %v", what, err)
	}
	return client
}

// outlivesItsCertificates gives the stack's certificate a short lifetime. Updates must renew the
// certificate, even after it has expired, and K3s's own expired certificates.
func (s *stack) outlivesItsCertificates(t *testing.T, hosts *hostSet, sections map[string]any) {
	life := max(shortestLife, 5*s.must(s.up("--expect-no-changes")).took).Round(time.Minute)
	t.Logf("certificates live for %s", life)
	sections = maps.Clone(sections)
	sections["k3s"] = map[string]any{
		"clientCertificateLifetime": life.String(), "kubeconfigGeneration": generation,
		"serverArgs": map[string]any{"kube-controller-manager-arg": []any{
			"cluster-signing-duration=" + life.String()}},
	}
	s.configure(sections)
	s.must(s.up()) // requests a certificate before it restarts K3s, so that one lasts longer
	before := s.certificate(t)
	for renewal := range 3 {
		time.Sleep(time.Until(nextGeneration(life))) // renewals depend on the clock alone
		if renewal == 0 {
			preview := s.must(s.pulumi("preview"))
			assert.Contains(t, preview.output, "k3s-credential")
			assert.NotContains(t, preview.output, " to replace", "of the sums at its end")
			assert.NotContains(t, preview.output, " to delete")
		}
		s.must(s.up())
		now := s.certificate(t)
		assert.NotEqual(t, before.SerialNumber, now.SerialNumber, "renewal %d", renewal+1)
		assert.Equal(t, fmt.Sprintf("strata:%s:%d", s.name, generation), now.Subject.CommonName)
		assert.WithinDuration(t, time.Now().Add(life), now.NotAfter, life)
		assert.Len(t, nodeNames(t, s.client()), len(hosts.nodes), "its user may look at everything")
		s.healthy("--gate", "k3s-api")
		before = now
	}
	hosts.endK3s(t, "server-1")
	time.Sleep(time.Until(before.NotAfter.Add(time.Second)))
	s.unhealthy(t, []string{"--gate", "k3s-api"}, "the kubeconfig's client certificate ended at",
		"pulumi up issues another one")
	up := s.must(s.up())
	assert.Contains(t, up.output, "K3s's own certificates on server-1")
	assert.Contains(t, up.output, "K3s is restarted there")
	s.healthy("--gate", "k3s-api", "--gate", "k3s-nodes")
}

// nextGeneration returns the time at which the next update renews the certificate. That is after
// each third of its lifetime.
func nextGeneration(life time.Duration) time.Time {
	return time.Now().Truncate(life / 3).Add(life / 3)
}

// certificate returns the client certificate of the stack's kubeconfig.
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

// endK3s replaces K3s's own certificates on a server by expired ones, as after a year without a
// restart.
func (l *hostSet) endK3s(t *testing.T, server string) {
	const tls, own = "/var/lib/rancher/k3s/server/tls/", "/etc/rancher/k3s/k3s.yaml"
	ca := parsed(t, []byte(l.must(server, "cat "+tls+"client-ca.crt")))
	signing, err := keyutil.ParsePrivateKeyPEM([]byte(l.must(server, "cat "+tls+"client-ca.key")))
	require.NoError(t, err)
	key, err := keyutil.ParsePrivateKeyPEM([]byte(l.must(server, "cat "+tls+"client-admin.key")))
	require.NoError(t, err)
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "system:admin",
			Organization: []string{"system:masters"}},
		NotBefore: ca.NotBefore, NotAfter: time.Now().Add(-time.Minute),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
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

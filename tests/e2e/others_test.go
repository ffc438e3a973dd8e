package e2e

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// othersKeep puts a volume and a ConfigMap that do not belong to the stack into one of the stack's
// namespaces, and removes the namespace from the configuration. Without consent, the update must be
// refused.
func (s *stack) othersKeep(t *testing.T, sections map[string]any) {
	t.Helper()
	ctx, core := t.Context(), s.client().CoreV1()
	file := filepath.Join(s.dir, "team.yaml")
	require.NoError(t, os.WriteFile(file, []byte("apiVersion: v1\nkind: Namespace\nmetadata: {name: team-a}\n"), 0o600))
	apps, _ := sections["apps"].(map[string]any)
	limits, _ := sections["timeouts"].(map[string]any)
	whole := merged(sections, map[string]any{
		"apps":     merged(apps, map[string]any{"manifests": []any{file}}),
		"timeouts": merged(limits, map[string]any{"namespaces": endingLimit.String()}),
	})
	s.configure(whole)
	s.must(s.up())

	stillThere := s.keepsInTeamA(t)
	defer func() { assert.NoError(t, core.PersistentVolumes().Delete(ctx, "data", metav1.DeleteOptions{})) }()

	s.configure(sections)
	s.refused(t, s.up(), "refused, nothing was deleted", "- namespace team-a: ConfigMap team-a/settings, volume team-a/data (1Gi)", "set strata:discard.namespaces to [team-a]")
	stillThere()
	s.refused(t, s.up("--continue-on-error"), "refused, nothing was deleted")
	stillThere()

	s.configure(merged(sections, map[string]any{"discard": map[string]any{"namespaces": []any{"team-a"}}}))
	s.scaleMetricsServer(t, 0)
	s.refused(t, s.up(), "refused, nothing was deleted", "an APIService does not answer: v1beta1.metrics.k8s.io")
	s.scaleMetricsServer(t, 1)
	s.endsLate(t, whole)
	s.configure(merged(sections, map[string]any{"discard": map[string]any{"namespaces": []any{"team-a"}}}))
	s.must(s.up())
	_, err := core.Namespaces().Get(ctx, "team-a", metav1.GetOptions{})
	require.Error(t, err, "with consent it goes")
	s.configure(sections)
	s.must(s.up())
}

// keepsInTeamA puts a volume and a ConfigMap that do not belong to the stack into namespace team-a.
// It returns a check that neither was deleted.
func (s *stack) keepsInTeamA(t *testing.T) (stillThere func()) {
	t.Helper()
	client := s.client()
	bind(t, client, "team-a", "data", corev1.PersistentVolumeSpec{
		PersistentVolumeSource: corev1.PersistentVolumeSource{
			HostPath: &corev1.HostPathVolumeSource{Path: "/tmp"}},
	})
	settings, err := client.CoreV1().ConfigMaps("team-a").Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	return func() {
		t.Helper()
		found, err := client.CoreV1().ConfigMaps("team-a").Get(t.Context(), "settings",
			metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, settings.UID, found.UID)
		assert.True(t, isBound(t, client, "team-a", "data"))
	}
}

// endingLimit is the timeout for the deletion of a namespace that a story blocks.
const endingLimit = 45 * time.Second

// endsLate removes namespace team-a from the configuration while a finalizer blocks its deletion.
// Until the deletion ends, an update that configures the namespace again must be refused.
func (s *stack) endsLate(t *testing.T, whole map[string]any) {
	t.Helper()
	finalizers := func(list string) {
		_, err := s.client().CoreV1().ConfigMaps("team-a").Patch(t.Context(), "settings", types.MergePatchType,
			[]byte(`{"metadata":{"finalizers":`+list+`}}`), metav1.PatchOptions{})
		require.NoError(t, err)
	}
	const held = "configmaps settings (finalizers: example.org/never)"
	finalizers(`["example.org/never"]`)
	late := s.up()
	s.refused(t, late, held, "NamespaceFinalizersRemaining", "the controller of finalizer example.org/never is gone", "strata:timeouts.namespaces")
	said := regexp.MustCompile(`team-a-end: .*example\.org/never.*, (\d+) s`).FindStringSubmatch(late.output)
	require.NotEmpty(t, said, "it is said while it waits:\n%s", late.output)
	seconds, err := strconv.Atoi(said[1])
	require.NoError(t, err)
	assert.Less(t, seconds, int(endingLimit.Seconds()))

	s.configure(whole)
	s.refused(t, s.up(), "refused, nothing was changed: namespace team-a is still being deleted", held)
	finalizers("null")
	s.must(s.up())
	made, err := s.client().CoreV1().Namespaces().Get(t.Context(), "team-a", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Nil(t, made.DeletionTimestamp)
	s.must(s.up("--expect-no-changes"))
}

// anotherCluster adds a context that appears to be another cluster, because its kube-system has
// another UID. The context's server is a proxy in front of the API server of context token, and
// anotherCluster returns the proxy's address.
func anotherCluster(t *testing.T, client kubernetes.Interface, kubeconfig string) string {
	t.Helper()
	system, err := client.CoreV1().Namespaces().Get(t.Context(), metav1.NamespaceSystem, metav1.GetOptions{})
	require.NoError(t, err)
	config, err := clientcmd.LoadFromFile(kubeconfig)
	require.NoError(t, err)
	behind := config.Clusters[config.Contexts["token"].Cluster]
	address, err := url.Parse(behind.Server)
	require.NoError(t, err)
	authorities := x509.NewCertPool()
	require.True(t, authorities.AppendCertsFromPEM(behind.CertificateAuthorityData))
	proxy := &httputil.ReverseProxy{
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities}},
		Rewrite: func(request *httputil.ProxyRequest) {
			request.SetURL(address)
			request.Out.Header.Del("Accept-Encoding")
		},
		ModifyResponse: func(response *http.Response) error {
			if !strings.HasSuffix(response.Request.URL.Path, "/namespaces/kube-system") {
				return nil
			}
			text, err := io.ReadAll(response.Body)
			other := bytes.ReplaceAll(text, []byte(system.UID), []byte("00000000-0000-4000-8000-000000000000"))
			response.Body = io.NopCloser(bytes.NewReader(other))
			return err
		},
	}
	server := httptest.NewTLSServer(proxy)
	t.Cleanup(server.Close)
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	config.Clusters["elsewhere"] = &clientcmdapi.Cluster{Server: server.URL, CertificateAuthorityData: certificate}
	config.Contexts["elsewhere"] = &clientcmdapi.Context{Cluster: "elsewhere", AuthInfo: config.Contexts["token"].AuthInfo}
	require.NoError(t, clientcmd.WriteToFile(*config, kubeconfig))
	return server.URL
}

// scaleMetricsServer scales metrics-server. While its APIService has no server, Kubernetes deletes
// no namespace.
func (s *stack) scaleMetricsServer(t *testing.T, replicas int) {
	t.Helper()
	_, err := s.client().AppsV1().Deployments("kube-system").Patch(t.Context(), "metrics-server", types.MergePatchType,
		fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas), metav1.PatchOptions{})
	require.NoError(t, err)
	eventually(t, func(c require.TestingT) {
		_, _, err := s.client().Discovery().ServerGroupsAndResources()
		require.Equal(c, replicas > 0, err == nil, "%v", err)
	})
}

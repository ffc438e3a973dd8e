package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health/webhook"
)

const kubeconfigOfTwo = `apiVersion: v1
kind: Config
current-context: one
clusters:
- {name: a, cluster: {server: "https://192.0.2.1:6443"}}
- {name: b, cluster: {server: "https://192.0.2.2:6443"}}
users:
- {name: u, user: {token: t}}
contexts:
- {name: one, context: {cluster: a, user: u}}
- {name: two, context: {cluster: b, user: u}}
`

func TestGateWebhookBuildsSpecFromFlags(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	flags := webhookFlags{
		kubeconfig: write("kubeconfig", kubeconfigOfTwo), service: "ns/svc", port: 443, timeout: 1,
		accept: write("accept.yaml", "kind: GatewayProxy\n"),
		deny:   write("deny.yaml", "kind: Other\n"), denyMatch: "no",
	}
	spec, secrets, err := flags.spec("configuration")
	require.NoError(t, err)
	require.NoError(t, spec.Validate())
	assert.Equal(t, []string{"https://192.0.2.1:6443"}, spec.Servers)
	assert.Equal(t, "GatewayProxy", spec.Body.(webhook.Spec).Accept["kind"])
	assert.Equal(t, "Other", spec.Body.(webhook.Spec).Deny["kind"])
	assert.NotContains(t, string(secrets.Kubeconfig), "192.0.2.2",
		"other clusters' credentials must not get here")

	flags.context = "two"
	spec, _, err = flags.spec("configuration")
	require.NoError(t, err)
	assert.Equal(t, []string{"https://192.0.2.2:6443"}, spec.Servers)
	flags.context = "three"
	_, _, err = flags.spec("configuration")
	require.ErrorContains(t, err, "kubeconfig")
	flags.accept = write("bad.yaml", "a: b: c\n")
	_, _, err = flags.spec("configuration")
	require.ErrorContains(t, err, "bad.yaml")
	flags.service = "svc"
	_, _, err = flags.spec("configuration")
	require.ErrorContains(t, err, "--service NAMESPACE/NAME")
}

func TestGateWebhookReadsExampleObject(t *testing.T) {
	var stderr bytes.Buffer
	code := Run([]string{
		"gate", "webhook", "c", "--service", "n/s", "--accept",
		"../examples/gate-webhook/gatewayproxy.yaml", "--kubeconfig", "missing",
	}, strings.NewReader(""), &bytes.Buffer{}, &stderr)
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr.String(), "kubeconfig", "the object is read first")
}

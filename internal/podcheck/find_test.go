package podcheck_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/manifest"
	"strata/internal/podcheck"
)

// read is the objects of a text.
func read(t *testing.T, text string) []podcheck.Object {
	t.Helper()
	parsed, err := manifest.Parse([]byte(text))
	require.NoError(t, err)
	var objects []podcheck.Object
	for _, object := range parsed {
		objects = append(objects, podcheck.Object{File: "shop.yaml", Object: object})
	}
	return objects
}

// snippet returns the text that docs/workloads.md tells users to copy.
func snippet(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/cert-wait.yaml")
	require.NoError(t, err)
	return string(text)
}

func TestTheSnippetPasses(t *testing.T) {
	found, err := podcheck.Find(read(t, snippet(t)))
	require.NoError(t, err)
	assert.Empty(t, found)
}

func TestASnippetThatLacksAPartIsRefused(t *testing.T) {
	for _, test := range []struct{ name, part, instead, want string }{
		{"not optional", "            optional: true\n", "", "is not optional, so kubelet never starts the init container that waits for it"},
		{"another image", "image: docker.io/strata/cert-wait:1.0.0", "image: docker.io/bitnami/kubectl:1.28", "is optional, and no init container waits for it"},
		{"another folder", "args: [--dir, /etc/tls,", "args: [--dir, /etc/certs,", "is optional, and no init container waits for it"},
		{"another volume", "- {name: tls, mountPath: /etc/tls, readOnly: true}\n      containers", "- {name: other, mountPath: /etc/tls}\n      containers", "is optional, and no init container waits for it"},
		{"too late", "      initContainers:\n", "      initContainers:\n        - {name: migrate, image: 'a:1', volumeMounts: [{name: tls, mountPath: /tls}]}\n",
			"is mounted by init container migrate, which runs before the one that waits for it; put cert-wait first"},
	} {
		t.Run(test.name, func(t *testing.T) {
			whole := snippet(t)
			require.Contains(t, whole, test.part)
			found, err := podcheck.Find(read(t, strings.Replace(whole, test.part, test.instead, 1)))
			require.NoError(t, err)
			require.Len(t, found, 1)
			assert.Contains(t, found[0].String(), "shop.yaml: Deployment apps/shop: volume tls of Secret shop-tls "+test.want)
		})
	}
}

// A flag may be one word or two.
func TestTheFolderMayBePartOfTheFlag(t *testing.T) {
	whole := strings.Replace(snippet(t), "args: [--dir, /etc/tls,", "args: [--dir=/etc/tls,", 1)
	require.Contains(t, whole, "--dir=/etc/tls")
	found, err := podcheck.Find(read(t, whole))
	require.NoError(t, err)
	assert.Empty(t, found)
}

// The seed's own manifest: the volume is not optional, so its init container never runs.
const seed = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ai-ops-agent, namespace: default}
spec:
  template:
    spec:
      initContainers:
      - {name: wait-for-certificate, image: bitnami/kubectl:1.28, command: [sh, -c, "until kubectl get certificate ai-ops-agent-cert; do sleep 5; done"]}
      containers:
      - {name: agent, image: a, volumeMounts: [{name: tls, mountPath: /etc/tls}]}
      volumes:
      - {name: tls, secret: {secretName: SECRET}}
`

func TestTheSeedsManifestIsRefused(t *testing.T) {
	found, err := podcheck.Find(read(t, strings.Replace(seed, "SECRET", "ai-ops-agent-tls", 1)))
	require.NoError(t, err)
	require.Len(t, found, 1)
	assert.Contains(t, found[0].String(), "is there or the Pod does not start")
}

func TestACertificatesSecretIsKnownByItsCertificate(t *testing.T) {
	certificate := "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: c, namespace: default}\nspec: {secretName: pair}\n---"
	without := strings.Replace(seed, "SECRET", "pair", 1)
	found, err := podcheck.Find(read(t, without))
	require.NoError(t, err)
	assert.Empty(t, found, "nothing says that it is a certificate's")
	found, err = podcheck.Find(read(t, certificate+without))
	require.NoError(t, err)
	assert.Len(t, found, 1)
	unnamed := strings.Replace(certificate, ", namespace: default", "", 1)
	found, err = podcheck.Find(read(t, unnamed+without))
	require.NoError(t, err)
	assert.Len(t, found, 1, "helm template names no namespace where the chart does not")
	elsewhere := strings.Replace(certificate, "namespace: default", "namespace: other", 1)
	found, err = podcheck.Find(read(t, elsewhere+without))
	require.NoError(t, err)
	assert.Empty(t, found, "another namespace's Secret")
}

func TestEveryKindThatMakesPodsIsLookedAt(t *testing.T) {
	for kind, wrap := range map[string]string{
		"Pod": "spec: POD", "StatefulSet": "spec: {template: {spec: POD}}", "Job": "spec: {template: {spec: POD}}",
		"CronJob": "spec: {jobTemplate: {spec: {template: {spec: POD}}}}",
	} {
		pod := "{containers: [], volumes: [{name: a, projected: {sources: [{secret: {name: b, items: [{key: tls.crt, path: c}]}}]}}]}"
		found, err := podcheck.Find(read(t, "apiVersion: v1\nkind: "+kind+"\nmetadata: {name: a}\n"+strings.Replace(wrap, "POD", pod, 1)))
		require.NoError(t, err, kind)
		assert.Len(t, found, 1, kind)
	}
	_, err := podcheck.Find(read(t, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n"))
	assert.ErrorContains(t, err, "shop.yaml: Deployment a has no Pod specification at spec.template.spec")
}

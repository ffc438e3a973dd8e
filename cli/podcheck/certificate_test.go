package podcheck_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts/manifest"
	"strata/cli/podcheck"
)

// options are the defaults of `strata check pods`.
var options = podcheck.Options{PreStop: 15 * time.Second, LongestRequest: 30 * time.Second}

// find checks the Pods of a text.
func find(t *testing.T, text string) podcheck.Report {
	t.Helper()
	objects, err := manifest.Parse("shop.yaml", []byte(text))
	require.NoError(t, err)
	return podcheck.Check(objects, options)
}

// snippet returns the text that docs/workloads.md tells users to copy.
func snippet(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/cert-wait.yaml")
	require.NoError(t, err)
	return string(text)
}

func TestCertWaitSnippetOfDocsPassesCheck(t *testing.T) {
	found := find(t, snippet(t)).Findings
	assert.Empty(t, found)
}

func TestIncompleteCertWaitSnippetIsReported(t *testing.T) {
	for _, test := range []struct{ name, part, instead, want string }{
		{"not optional", "            optional: true\n", "",
			"is not optional, so kubelet never starts the init container that waits for it"},
		{"another image", "image: localhost/strata/cert-wait:1.0.0",
			"image: docker.io/bitnami/kubectl:1.28",
			"is optional, and no init container waits for it"},
		{"another folder", "args: [--dir, /etc/tls,", "args: [--dir, /etc/certs,",
			"is optional, and no init container waits for it"},
		{"another volume", "- {name: tls, mountPath: /etc/tls, readOnly: true}\n      containers",
			"- {name: other, mountPath: /etc/tls}\n      containers",
			"is optional, and no init container waits for it"},
		{"a sidecar", "image: localhost/strata/cert-wait:1.0.0",
			"restartPolicy: Always\n          image: cert-wait",
			"is optional, and no init container waits for it"},
		{"after another init container", "      initContainers:\n",
			"      initContainers:\n        - {name: migrate, image: 'a:1', volumeMounts: " +
				"[{name: tls, mountPath: /tls}]}\n",
			"is mounted by init container migrate, which runs before the one that waits for it; put cert-wait first"},
	} {
		t.Run(test.name, func(t *testing.T) {
			whole := snippet(t)
			require.Contains(t, whole, test.part)
			found := find(t, strings.Replace(whole, test.part, test.instead, 1)).Findings
			require.Len(t, found, 1)
			assert.Contains(t, found[0].String(),
				"shop.yaml: Deployment apps/shop: spec.template.spec: certificate: volume tls of "+
					"Secret shop-tls "+test.want)
		})
	}
}

// --dir and its value may be one word or two.
func TestCertWaitDirFlagAcceptsEqualsSign(t *testing.T) {
	whole := strings.Replace(snippet(t), "args: [--dir, /etc/tls,", "args: [--dir=/etc/tls,", 1)
	require.Contains(t, whole, "--dir=/etc/tls")
	found := find(t, whole).Findings
	assert.Empty(t, found)
}

// seed is a Deployment whose certificate volume is not optional. So kubelet waits for the Secret
// and does not start the init container.
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

func TestCertificateVolumeThatIsNotOptionalIsReported(t *testing.T) {
	found := find(t, strings.Replace(seed, "SECRET", "ai-ops-agent-tls", 1)).Findings
	require.Len(t, found, 1)
	assert.Contains(t, found[0].String(), "is there or the Pod does not start")
}

func TestCertificateSecretIsRecognizedByCertificate(t *testing.T) {
	certificate := "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: c, " +
		"namespace: default}\nspec: {secretName: pair}\n---"
	without := strings.Replace(seed, "SECRET", "pair", 1)
	found := find(t, without).Findings
	assert.Empty(t, found, "nothing says that it is a certificate's")
	found = find(t, certificate+without).Findings
	assert.Len(t, found, 1)
	unnamed := strings.Replace(certificate, ", namespace: default", "", 1)
	found = find(t, unnamed+without).Findings
	assert.Len(t, found, 1, "helm template names no namespace where the chart does not")
	elsewhere := strings.Replace(certificate, "namespace: default", "namespace: other", 1)
	found = find(t, elsewhere+without).Findings
	assert.Empty(t, found, "another namespace's Secret")
}

// A Pod specification is recognized by its shape, because any kind may contain one.
func TestPodSpecIsFoundInAnyKind(t *testing.T) {
	const pod = "{containers: [{name: a, image: b}], volumes: [{name: a, projected: {sources: " +
		"[{secret: {name: b, items: [{key: tls.crt, path: c}]}}]}}]}"
	for kind, test := range map[string]struct{ version, fields, place string }{
		"Pod":                   {"v1", "spec: POD", "spec"},
		"Deployment":            {"apps.example.org/v1", "workload: {pods: POD}", "workload.pods"},
		"StatefulSet":           {"apps/v1", "spec: {template: {spec: POD}}", "spec.template.spec"},
		"ReplicationController": {"v1", "spec: {template: {spec: POD}}", "spec.template.spec"},
		"PodTemplate":           {"v1", "template: {spec: POD}", "template.spec"},
		"CronJob": {"batch/v1", "spec: {jobTemplate: {spec: {template: {spec: POD}}}}",
			"spec.jobTemplate.spec.template.spec"},
		"Rollout": {"argoproj.io/v1alpha1", "spec: {template: {spec: POD}}", "spec.template.spec"},
		"Job": {"batch.volcano.sh/v1alpha1",
			"spec: {tasks: [{name: a}, {template: {spec: POD}}]}", "spec.tasks[1].template.spec"},
		"Service": {"serving.knative.dev/v1",
			"spec: {template: {spec: " + strings.Replace(pod, "name: a, ", "", 1) + "}}",
			"spec.template.spec"},
	} {
		report := find(t,
			"apiVersion: "+test.version+"\nkind: "+kind+"\nmetadata: {name: a}\n"+
				strings.Replace(test.fields, "POD", pod, 1))
		place := "shop.yaml: " + kind + " a: " + test.place
		if assert.Len(t, report.Findings, 1, kind) {
			assert.Equal(t, place, report.Findings[0].Place)
		}
		assert.Equal(t, []string{place}, report.Pods, kind)
		assert.Empty(t, report.Without, kind)
	}
}

// A Pod specification of a custom kind may contain a second one.
func TestNestedPodSpecIsFound(t *testing.T) {
	report := find(t, "apiVersion: example.org/v1\nkind: Farm\nmetadata: {name: a}\nspec: "+
		"{containers: [{name: a}], workers: {template: {spec: {containers: [{name: b}]}}}}\n")
	assert.Equal(t, []string{"shop.yaml: Farm a: spec", "shop.yaml: Farm a: spec.workers.template.spec"},
		report.Pods)
}

func TestReportCountsPodsCheckedOnlyForCertificates(t *testing.T) {
	report := find(t, "apiVersion: example.org/v1\nkind: Farm\nmetadata: {name: a}\nspec: "+
		"{containers: [{name: a, ports: [{containerPort: 80}]}]}\n---\n"+good)
	assert.Equal(t, map[string]int{"Farm": 1}, report.CertificateOnly)
	assert.Contains(t, report.String(), "\nonly the rule certificate was checked in 1 of kind Farm")
}

func TestReportCountsObjectsWithoutPodSpec(t *testing.T) {
	const without = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {containers: [], " +
		"ports: [{port: 80}]}\n---\n"
	report := find(t,
		without+without+
			"apiVersion: example.org/v1\nkind: Plan\nmetadata: {name: a}\nspec: {containers: [ship, train]}\n")
	assert.Equal(t,
		"checked 0 Pod specifications:\nno Pod specification in 1 of kind Plan\nno Pod "+
			"specification in 2 of kind Service", report.String())
}

func TestUnreadablePodDoesNotHideFindingsOfOtherPods(t *testing.T) {
	report := find(t,
		"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: "+
			"b}], volumes: none}\n---"+
			strings.Replace(seed, "SECRET", "ai-ops-agent-tls", 1))
	assert.Len(t, report.Findings, 1)
	require.Len(t, report.Unread, 1)
	assert.ErrorContains(t, report.Unread[0],
		"shop.yaml: Pod a: spec.volumes: expected array, found string")
}

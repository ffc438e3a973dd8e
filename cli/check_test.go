package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCheckPodsReportsRequiredCertificateVolume(t *testing.T) {
	text, err := os.ReadFile("../docs/cert-wait.yaml")
	require.NoError(t, err)
	run := func(stdin string, args ...string) (int, string) {
		var out bytes.Buffer
		code := Run(append([]string{"check", "pods"}, args...), strings.NewReader(stdin),
			&out, &out)
		return code, out.String()
	}
	code, output := run(string(text), "-")
	assert.Equal(t, 0, code, output)
	assert.Contains(t, output, "checked 1 Pod specifications:\n  -: Deployment apps/shop: spec.template.spec\n")
	code, output = run(strings.Replace(string(text), "optional: true", "optional: false", 1), "-")
	assert.Equal(t, 1, code, output)
	assert.Contains(t, output, "-: Deployment apps/shop: spec.template.spec: certificate: volume "+
		"tls of Secret shop-tls is not optional")
	code, output = run(strings.Replace(string(text), "optional: true", "optional: false", 1), "-",
		"/nowhere/a.yaml")
	assert.Equal(t, 2, code, output)
	assert.Contains(t, output, "/nowhere/a.yaml")
	assert.Contains(t, output, "volume tls of Secret shop-tls is not optional",
		"what can be read is checked")
}

// These texts are in the formats of `kubectl get` with --output json or yaml. Only the second Pod
// of each text breaks a rule.
func TestCheckPodsReadsKubectlOutput(t *testing.T) {
	const pod = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "NAME", "generateName": "a-"},
		"spec": {"containers": [{"name": "a", "image": "b"}], "volumes": [{"name": "tls", "secret": {"secretName": "NAME-tls"}}]}}`
	good, bad := strings.ReplaceAll(pod, "NAME-tls", "none"), strings.ReplaceAll(pod, "NAME", "bad")
	for _, text := range []string{
		good + bad,
		good + "\n---\n" + bad,
		`{"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": [` +
			good + `, ` + bad + `]}`,
		"apiVersion: v1\nkind: List\nmetadata: {resourceVersion: ''}\nitems:\n- " +
			strings.ReplaceAll(good, "\n", "") + "\n- " + strings.ReplaceAll(bad, "\n", ""),
	} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, 1, Run([]string{"check", "pods", "-"}, strings.NewReader(text), &stdout,
			&stderr), stderr.String())
		assert.Equal(t, "-: Pod bad: spec: certificate: volume tls of Secret bad-tls is there or "+
			"the Pod does not start: kubelet tries again ever more rarely; "+
			"set optional: true, and add the init container cert-wait (docs/workloads.md)\n",
			stdout.String())
	}
}

func TestCheckPodsPrintsRequestedOutputFormat(t *testing.T) {
	const pod = `{"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "a"}, "spec": {"template": {"spec":
		{"containers": [{"name": "a", "image": "b", "ports": [{"containerPort": 80}], "lifecycle": {"preStop": {"sleep": {"seconds": 5}}}}]}}}}`
	for _, test := range []struct {
		args   string
		code   int
		stdout string
		stderr string
	}{
		{"--output json", 1, `"rule": "readiness"`,
			"3 findings; --output patch prints patches for them"},
		{"--output patch", 1, "\n        readinessProbe:\n", "3 findings\n"},
		{"--skip readiness", 1, "pre-stop: container a stops after 5s of preStop", "2 findings"},
		{"--skip readiness --pre-stop 5s --longest-request 20s", 0, "",
			"checked 1 Pod specifications"},
		{"--skip ready", 2, "", "--skip: there is no rule \"ready\""},
		{"--output yaml", 2, "", "--output: expected text, json or patch"},
	} {
		t.Run(test.args, func(t *testing.T) {
			code, stdout, stderr := invoke(t, pod,
				append([]string{"check", "pods", "-"}, strings.Fields(test.args)...)...)
			assert.Equal(t, test.code, code)
			assert.Contains(t, stdout, test.stdout)
			assert.Contains(t, stderr, test.stderr)
		})
	}
}

// kubectl would only read the first document.
func TestCheckPodsRefusesSecondDocumentWithoutSeparator(t *testing.T) {
	code, _, stderr := invoke(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n...\n"+
		"apiVersion: v1\nkind: Pod\nmetadata: {name: b}\nspec: {containers: [{name: b, image: b}]}\n",
		"check", "pods", "-")
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "did not find expected <document start>; "+
		"begin each document with a line that is ---")
}

// Exit code 1 is for Pods that break a rule.
func TestCheckPodsUsageErrorsExitWithTwo(t *testing.T) {
	for args, want := range map[string]string{
		"":                "requires at least 1 arg(s)",
		"- --pre-stop 15": "missing unit in duration",
		"- --nothing":     "unknown flag: --nothing",
		"- -":             "- is named twice, but stdin can be read only once: remove one",
	} {
		code, _, stderr := invoke(t, "", append([]string{"check", "pods"}, strings.Fields(args)...)...)
		assert.Equal(t, 2, code, args)
		assert.Contains(t, stderr, want)
	}
}

func TestCheckPodsReportsPodBesideUnreadableObject(t *testing.T) {
	code, stdout, stderr := invoke(t, "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"+
		"spec: {containers: [{name: a, ports: [{containerPort: 80}]}]}\n---\n"+
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b, labels: {v: 1.0}}\n", "check", "pods", "-")
	assert.Equal(t, 2, code)
	assert.Contains(t, stdout, "-: Pod a: spec: readiness: container a has no readinessProbe")
	assert.Contains(t, stderr, "-: document 2: json: cannot unmarshal number")
}

package catalog_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestArgoCDChartUsesOfficialNames(t *testing.T) {
	chart := named(t, "argocd-chart")
	found := chart.render(t, chart.values)
	for _, key := range []string{
		"Deployment argocd-server", "Deployment argocd-repo-server", "Deployment argocd-redis",
		"Deployment argocd-applicationset-controller",
		"StatefulSet argocd-application-controller", "Service argocd-server",
		"Service argocd-repo-server", "Service argocd-redis",
		"ConfigMap argocd-cm", "ConfigMap argocd-cmd-params-cm", "ConfigMap argocd-rbac-cm",
		"ConfigMap argocd-ssh-known-hosts-cm",
		"ConfigMap argocd-tls-certs-cm", "ConfigMap argocd-gpg-keys-cm", "Secret argocd-secret",
		"Secret argocd-repo-lab",
		"ServiceAccount argocd-server", "ClusterRole argocd-server",
		"ClusterRole argocd-application-controller", "Role argocd-server",
		"Ingress argocd-server", "PodDisruptionBudget argocd-server",
		"Job argocd-redis-secret-init", "NetworkPolicy argocd-redis",
	} {
		assert.Contains(t, found, key)
	}
	for _, name := range []string{"server", "repo-server", "redis"} {
		labels := at(t, found["Deployment argocd-"+name], "spec", "selector", "matchLabels")
		assert.Equal(
			t,
			map[string]any{"app.kubernetes.io/name": "argocd-" + name, "app.kubernetes.io/instance": "argocd"},
			labels,
		)
		assert.Equal(t, labels, at(t, found["Service argocd-"+name], "spec", "selector"))
	}
	assert.EqualValues(t, 80, at(t, found["Service argocd-server"], "spec", "ports", 0, "port"))
	assert.EqualValues(t, 443, at(t, found["Service argocd-server"], "spec", "ports", 1, "port"))
	assert.EqualValues(t, 0, at(t, found["Deployment argocd-applicationset-controller"], "spec", "replicas"))
}

func TestArgoCDChartRendersValuesIntoObjects(t *testing.T) {
	chart := named(t, "argocd-chart")
	found := chart.render(t, chart.values)
	assert.Equal(t, "true", at(t, found["ConfigMap argocd-cmd-params-cm"], "data", "server.insecure"))
	assert.Equal(t, "argocd-redis:6379", at(t, found["ConfigMap argocd-cmd-params-cm"], "data", "redis.server"))
	assert.Equal(t, "https://argocd.example.org", at(t, found["ConfigMap argocd-cm"], "data", "url"))
	assert.Equal(t, "30s", at(t, found["ConfigMap argocd-cm"], "data", "timeout.reconciliation"))
	assert.Contains(
		t,
		at(t, found["ConfigMap argocd-cm"], "data", "resource.exclusions"),
		"EndpointSlice",
		"of Argo CD's own manifest",
	)
	assert.Equal(t, "aGFzaA==", at(t, found["Secret argocd-secret"], "data", "admin.password"))
	path := []any{"spec", "rules", 0, "http", "paths", 0, "backend", "service", "port", "number"}
	assert.EqualValues(t, 80, at(t, found["Ingress argocd-server"], path...))
	secure := chart.render(
		t,
		"{crds: {install: false}, dex: {enabled: false}, notifications: {enabled: false}, "+
			"server: {ingress: {enabled: true}}}",
	)
	assert.EqualValues(t, 443, at(t, secure["Ingress argocd-server"], path...), "not insecure")
}

// Argo CD reads most settings only when it starts, so a changed setting must replace the Pods.
func TestChangedArgoCDSettingReplacesPods(t *testing.T) {
	chart := named(t, "argocd-chart")
	const off = "{crds: {install: false}, dex: {enabled: false}, notifications: {enabled: false}"
	annotations := func(values string) any {
		return at(t, chart.render(t, values)["Deployment argocd-server"], "spec", "template", "metadata", "annotations")
	}
	assert.Equal(t, annotations(off+"}"), annotations(off+", server: {replicas: 3}}"))
	assert.NotEqual(t, annotations(off+"}"), annotations(off+", configs: {params: {server.insecure: true}}}"))
	assert.NotEqual(t, annotations(off+"}"), annotations(off+", configs: {cm: {exec.enabled: true}}}"))
}

// Argo CD's components and Redis must all read the password from the same Secret. A missing key
// keeps them from starting.
func TestArgoCDComponentsUseTheSameRedisPassword(t *testing.T) {
	chart := named(t, "argocd-chart")
	found := chart.render(t, chart.values)
	for _, key := range []string{
		"Deployment argocd-server", "Deployment argocd-repo-server", "Deployment argocd-redis",
		"StatefulSet argocd-application-controller",
	} {
		environment, ok := at(t, found[key], "spec", "template", "spec", "containers", 0, "env").([]any)
		require.True(t, ok, key)
		var password any
		for _, variable := range environment {
			if at(t, variable, "name") == "REDIS_PASSWORD" {
				password = at(t, variable, "valueFrom", "secretKeyRef")
			}
		}
		assert.Equal(t, map[string]any{"name": "argocd-redis", "key": "auth"}, password, key)
	}
	assert.NotContains(
		t,
		chart.render(
			t,
			"{redisSecretInit: {enabled: false}, crds: {install: false}, dex: {enabled: false}, "+
				"notifications: {enabled: false}}",
		),
		"Job argocd-redis-secret-init",
	)
}

func TestArgoCDChartInstallsCRDsUnlessDisabled(t *testing.T) {
	chart := named(t, "argocd-chart")
	const off = "dex: {enabled: false}, notifications: {enabled: false}"
	without, kept := chart.render(t, chart.values), chart.render(t, "{"+off+"}")
	loose := chart.render(t, "{"+off+", crds: {keep: false}}")
	for _, name := range []string{"applications", "applicationsets", "appprojects"} {
		key := "CustomResourceDefinition " + name + ".argoproj.io"
		assert.NotContains(t, without, key)
		assert.Equal(t, "keep", at(t, kept[key], "metadata", "annotations", "helm.sh/resource-policy"))
		assert.NotContains(t, at(t, loose[key], "metadata", "annotations"), "helm.sh/resource-policy")
	}
}

func TestArgoCDChartRejectsUnsupportedValues(t *testing.T) {
	off := map[string]any{"dex": map[string]any{"enabled": false}, "notifications": map[string]any{"enabled": false}}
	for key, value := range map[string]any{
		"dex":        map[string]any{"enabled": true},
		"controller": map[string]any{"replicas": 2},
		"redis-ha":   map[string]any{"enabled": true},
		"server":     map[string]any{"httproute": map[string]any{"enabled": true}},
	} {
		values := map[string]any{}
		maps.Copy(values, off)
		values[key] = value
		text, err := json.Marshal(values)
		require.NoError(t, err)
		_, err = named(t, "argocd-chart").try(t, string(text))
		assert.ErrorContains(t, err, key)
	}
}

// The chart's init container copyutil runs `cp --update=none`. coreutils has this option since 9.3,
// but Debian's version is older.
func TestArgoCDImageSupportsCopyutilCommand(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("the script gives files to the image's user: it needs root")
	}
	root := t.TempDir()
	for _, folder := range []string{"bin", "etc", "usr/share/ca-certificates"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, folder), 0o755))
	}
	original, err := os.ReadFile("/bin/cp")
	require.NoError(t, err)
	for name, text := range map[string][]byte{"bin/cp": original,
		"usr/share/ca-certificates/one.crt": []byte("one\n"), "new": []byte("new\n"),
		"old": []byte("old\n")} {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), text, 0o755))
	}
	output, err := exec.Command("sh", "../../images/argocd/setup.sh", root).CombinedOutput()
	require.NoError(t, err, "%s", output)
	for _, to := range []string{"old", "a name"} {
		cp := exec.Command(
			filepath.Join(root, "bin/cp"),
			"--update=none",
			filepath.Join(root, "new"),
			filepath.Join(root, to),
		)
		cp.Env = []string{"PATH=" + filepath.Join(root, "bin") + ":/usr/bin:/bin"}
		output, err := cp.CombinedOutput()
		require.NoError(t, err, "%s", output)
	}
	for name, want := range map[string]string{"old": "old\n", "a name": "new\n"} {
		found, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		assert.Equal(t, want, string(found), name)
	}
}

package catalog_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVaultChartUsesOfficialNames(t *testing.T) {
	chart := named(t, "vault-chart")
	found := chart.render(t, chart.values)
	for _, key := range []string{
		"StatefulSet vault", "Service vault", "Service vault-internal", "ServiceAccount vault",
		"ClusterRoleBinding vault-server-binding", "ConfigMap vault-config",
	} {
		assert.Contains(t, found, key)
	}
	assert.Len(t, found, 6)
	assert.Equal(t, "system:auth-delegator", at(t, found["ClusterRoleBinding vault-server-binding"], "roleRef", "name"))
	assert.Equal(t, "vault-internal", at(t, found["StatefulSet vault"], "spec", "serviceName"))
	labels := at(t, found["StatefulSet vault"], "spec", "selector", "matchLabels")
	assert.Equal(t, labels, at(t, found["Service vault"], "spec", "selector"))
	assert.Equal(
		t,
		true,
		at(t, found["Service vault"], "spec", "publishNotReadyAddresses"),
		"a sealed Vault must be reachable",
	)
	config := at(t, found["ConfigMap vault-config"], "data", "extraconfig-from-values.hcl")
	assert.Contains(t, config, `storage "file" { path = "/vault/data" }`)
	assert.Contains(t, config, "disable_mlock = true")
	probe := at(t, found["StatefulSet vault"], "spec", "template", "spec", "containers", 0, "readinessProbe", "httpGet")
	assert.Equal(t, "HTTPS", at(t, probe, "scheme"))
}

// The official chart starts, probes and stops Vault with shell commands (vault-helm,
// templates/server-statefulset.yaml, and vault.args in _helpers.tpl).
func TestVaultImageHasCommandsOfUpstreamChart(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "bin"), 0o755))
	output, err := exec.Command("sh", "../../images/vault/setup.sh", root).CombinedOutput()
	require.NoError(t, err, "%s", output)
	for _, name := range []string{"sh", "cp", "sed", "grep", "pidof", "sleep"} {
		to, err := os.Readlink(filepath.Join(root, "bin", name))
		require.NoError(t, err)
		assert.Equal(t, "busybox", to)
	}
	output, err = exec.Command(filepath.Join(root, "usr/local/bin/docker-entrypoint.sh"), "printf",
		"%s,", "vault", "a b").
		CombinedOutput()
	require.NoError(t, err, "%s", output)
	assert.Equal(t, "vault,a b,", string(output))
	assert.Contains(t, stepsFor(t, empty(t), "vault-chart"), "vault-root")
}

// As in the official chart (vault-helm, vault.mounts in templates/_helpers.tpl), Vault without a
// claim has no data volume. Users who do not want a claim configure a volume.
func TestVaultChartWithoutDataStorageMountsNoDataVolume(t *testing.T) {
	chart := named(t, "vault-chart")
	set := func(values string) map[string]any {
		return at(t, chart.render(t, values)["StatefulSet vault"], "spec").(map[string]any)
	}
	without := set("{injector: {enabled: false}, server: {dataStorage: {enabled: false}}}")
	assert.NotContains(t, without, "volumeClaimTemplates")
	for _, mount := range at(t, without, "template", "spec", "containers", 0, "volumeMounts").([]any) {
		assert.NotEqual(t, "/vault/data", at(t, mount, "mountPath"))
	}
	with := set("{injector: {enabled: false}}")
	assert.Equal(t, "10Gi", at(t, with, "volumeClaimTemplates", 0, "spec", "resources", "requests", "storage"))
	assert.Contains(
		t,
		at(t, with, "template", "spec", "containers", 0, "volumeMounts"),
		map[string]any{"name": "data", "mountPath": "/vault/data"},
	)
}

// Data in a hostPath volume outlives the Pod without a claim. The chart uses a subPath, because no
// command in the image can give a folder to Vault's user. The kubelet creates the subPath's folder
// with the mode of the volume.
func TestVaultChartAcceptsHostPathForData(t *testing.T) {
	chart := named(t, "vault-chart")
	pod := at(t, chart.render(t, `
injector: {enabled: false}
server:
  dataStorage: {enabled: false}
  nodeSelector: {kubernetes.io/hostname: local-server-1}
  volumes: [{name: data, hostPath: {path: /var/tmp, type: Directory}}]
  volumeMounts: [{name: data, mountPath: /vault/data, subPath: vault}]
`)["StatefulSet vault"], "spec", "template", "spec")
	byName := func(list any) map[string][]any {
		found := map[string][]any{}
		for _, one := range list.([]any) {
			name := at(t, one, "name").(string)
			found[name] = append(found[name], one)
		}
		return found
	}
	volumes := byName(at(t, pod, "volumes"))["data"]
	require.Len(t, volumes, 1, "two of one name are refused by the API server")
	assert.Equal(t, "/var/tmp", at(t, volumes[0], "hostPath", "path"))
	mounts := byName(at(t, pod, "containers", 0, "volumeMounts"))["data"]
	require.Len(t, mounts, 1)
	assert.Equal(t, "vault", at(t, mounts[0], "subPath"))
	assert.Equal(t, "local-server-1", at(t, pod, "nodeSelector", "kubernetes.io/hostname"))
}

func TestVaultChartRejectsUnsupportedValues(t *testing.T) {
	for values, want := range map[string]string{
		"{}": "set injector.enabled to false",
		"{injector: {enabled: false}, server: {ha: {enabled: true}}}":                         "ha",
		"{injector: {enabled: false}, server: {dev: {enabled: true}}}":                        "dev",
		"{injector: {enabled: false}, server: {standalone: {config: 'a = \"POD_IP:8200\"'}}}": "no shell that would replace POD_IP",
	} {
		_, err := named(t, "vault-chart").try(t, values)
		require.ErrorContains(t, err, want, values)
	}
}

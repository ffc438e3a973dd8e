package cli

import (
	"archive/tar"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
	"strata/health/server"
	"strata/internal/ssh/remote/sshtest"
)

// The stack has these secrets: in its state, in a kubeconfig, encrypted in its configuration, and
// in plain text under a key whose values are secret.
const (
	stateSecret  = "st4te/secret+with&signs"
	tokenSecret  = "kubeconfigs-bearer-token-0123"
	sealedSecret = "sealed-by-a-person-42"
	plainSecret  = "in-plain-by-mistake-17"
)

// These are encrypted values of Strata's own keys: the passwords of sudo, a proxy and a registry,
// the proxy's URL, an ACME account's key, and a DNS-01 token.
const (
	sudoSecret      = "what-sudo-asks-for-58"
	proxySecret     = "p@ss-of-the-proxy-31"
	proxyAddress    = "http://nodes:p%40ss-of-the-proxy-31@proxy.example.org:3128/"
	registrySecret  = "a-registry's-login-64"
	accountSecret   = "ZWFiLWtleS1vZi1hbi1hY2NvdW50LTI5"
	challengeSecret = "dns-01-api-token-90"
)

// supportSecrets lists all secrets that no archive may contain.
var supportSecrets = []string{
	stateSecret, tokenSecret, sealedSecret, plainSecret, sudoSecret, proxySecret, proxyAddress,
	registrySecret, accountSecret, challengeSecret,
}

const supportStack = `encryptionsalt: v1:thesalt
config:
  strata:hosts:
    driver: existing
    subnet: 10.10.0.0/24
    nodes: [{name: server-1, role: server, address: 10.10.0.11}]
    ssh: {sudoPassword: {secure: v1:thecipher}}
  strata:k3s:
    proxy: {https: {secure: v1:thecipher}}
    registries: [{name: registry.example.org, username: robot, password: {secure: v1:thecipher}}]
  strata:metallb: {enabled: false}
  strata:certManager:
    issuer: acme
    acme:
      server: https://acme.example.org/directory
      eab: {keyID: strata, key: {secure: v1:thecipher}}
      solver: dns01
      dns01: {cloudflare: {apiTokenSecretRef: {name: dns-token, key: token}}}
      secrets: [{name: dns-token, key: token, value: {secure: v1:thecipher}}]
  strata:ingress: {controllers: []}
  strata:argocd: {enabled: false, root: {password: {secure: v1:thecipher}}}
  strata:apps: {workloads: [{name: shop, image: "a/b:1", secretEnv: {KEY: ` + plainSecret + `}}]}
`

// supportPulumi puts a stand-in of pulumi first in PATH, with a stack's state and configuration.
func supportPulumi(t *testing.T, state string) {
	t.Helper()
	dir := t.TempDir()
	shown := `{"strata:argocd":{"value":"x","objectValue":{"enabled":false,"root":{"password":"` + sealedSecret + `"}},"secret":true},
		"strata:hosts":{"objectValue":{"ssh":{"sudoPassword":"` + sudoSecret + `"}}},
		"strata:k3s":{"objectValue":{"proxy":{"https":"` + proxyAddress + `"},"registries":[{"username":"robot","password":"` + registrySecret + `"}]}},
		"strata:certManager":{"objectValue":{"acme":{"eab":{"key":"` + accountSecret + `"},"secrets":[{"value":"` + challengeSecret + `"}]}}}}`
	for name, text := range map[string]string{"state": state, "config": shown} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pulumi"), []byte(`#!/bin/sh
cd "$(dirname "$0")" || exit 1
case "$*" in
	"stack export"*--show-secrets*) [ -s state ] || { echo 'error: incorrect passphrase' >&2; exit 255; }; cat state ;;
	"config --show-secrets --json --stack dev"*) cat config ;;
	version*) echo v3.250.0 ;;
	*) echo "unexpected: $*" >&2; exit 1 ;;
esac
`), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// asSecret returns a value in the form of a secret in an exported state.
func asSecret(t *testing.T, value any) map[string]any {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return map[string]any{sig.Key: sig.Secret, "plaintext": string(text)}
}

// supportState returns a state with a kubeconfig and a gate for each host. One key logs in to all
// hosts.
func supportState(t *testing.T, kubeconfig string, key []byte, hosts ...health.Host) string {
	t.Helper()
	resources := []any{map[string]any{
		"urn":  "urn:pulumi:dev::strata::random:index:RandomPassword::token",
		"type": "random:index:RandomPassword",
		"outputs": map[string]any{"result": asSecret(t, stateSecret),
			"all": asSecret(t, map[string]any{"user": "root", "password": stateSecret})},
	}}
	for _, host := range hosts {
		stdin, err := json.Marshal(health.Spec{
			Body: server.Spec{}, Gate: "k3s-" + host.Name + "-gate", Layer: "k3s",
			Hosts:   []health.Host{host},
			Timeout: metav1.Duration{Duration: time.Minute}, TimeoutKey: "strata:timeouts.api",
		})
		require.NoError(t, err)
		resources = append(resources, map[string]any{
			"urn":  "urn:pulumi:dev::strata::command:local:Command::k3s-" + host.Name + "-gate",
			"type": "command:local:Command",
			"inputs": map[string]any{"create": "exec .strata/bin/strata gate",
				"stdin": string(stdin), "environment": map[string]any{
					"STRATA_SSH_KEY":    asSecret(t, string(key)),
					"STRATA_KUBECONFIG": asSecret(t, kubeconfig),
				}},
		})
	}
	state, err := json.Marshal(map[string]any{"version": 3,
		"deployment": map[string]any{"resources": resources}})
	require.NoError(t, err)
	return string(state)
}

// leaky returns a text with all secrets in all the forms in which journals, events and lists have
// them.
func leaky() string {
	var text strings.Builder
	for _, secret := range supportSecrets {
		asJSON, _ := json.Marshal(map[string]string{"password": secret})
		fmt.Fprintf(&text, "password %s, data %s, Basic %s, %s\n", secret,
			base64.StdEncoding.EncodeToString([]byte(secret)),
			base64.StdEncoding.EncodeToString([]byte("admin:"+secret+"\n")), asJSON)
	}
	return text.String()
}

// supportAPI starts an API server that forbids jobs, and answers other lists with one table.
func supportAPI(t *testing.T) (kubeconfig string) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+tokenSecret ||
			strings.Contains(r.URL.Path, "jobs") ||
			!strings.Contains(r.Header.Get("Accept"), "as=Table") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		assert.NoError(t, json.NewEncoder(w).Encode(map[string]any{
			"kind": "Table", "apiVersion": "meta.k8s.io/v1",
			"columnDefinitions": []any{map[string]any{"name": "Name"},
				map[string]any{"name": "Message"}},
			"rows": []any{map[string]any{"cells": []any{"coredns", "said " + leaky()},
				"object": map[string]any{"metadata": map[string]any{"namespace": "kube-system"}}}},
		}))
	}))
	t.Cleanup(server.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: a\nclusters:\n- name: a\n "+
		" cluster:\n    server: %s\n    certificate-authority-data: %s\n"+
		"contexts:\n- name: a\n  context: {cluster: a, user: a}\nusers:\n- name: a\n  user:\n "+
		"   token: %s\n", server.URL, base64.StdEncoding.EncodeToString(ca), tokenSecret)
}

// unpacked returns the files of an archive by name.
func unpacked(t *testing.T, path string) map[string]string {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	zipped, err := gzip.NewReader(file)
	require.NoError(t, err)
	files := map[string]string{}
	for reader := tar.NewReader(zipped); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		require.NoError(t, err)
		assert.Equal(t, int64(0o600), header.Mode)
		content, err := io.ReadAll(reader)
		require.NoError(t, err)
		name, inside := strings.CutPrefix(header.Name, "strata-support-dev/")
		require.True(t, inside, header.Name)
		files[name] = string(content)
	}
}

func TestSupportArchiveContainsNoSecret(t *testing.T) {
	server := sshtest.Start(t)
	server.Handler = func(call sshtest.Call) int {
		if strings.Contains(call.Script, "journalctl --no-pager") {
			_, _ = fmt.Fprintf(call.Stdout, "=== systemctl status k3s\nk3s.service: %s",
				leaky()+string(server.PrivateKey()))
			return 0
		}
		return unitAnswer("failed", "failed")(call)
	}
	gone := sshtest.Start(t)
	gone.Silence()
	here := health.Host{Target: server.Target(), Role: "server"}
	away := health.Host{Target: gone.Target(), Role: "server"}
	here.Name, away.Name = "server-1", "server-2"
	supportPulumi(t, supportState(t, supportAPI(t), server.PrivateKey(), here, away))
	folder := project(t, supportStack)
	require.NoError(t, os.MkdirAll(filepath.Join(folder, ".strata/runs"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder,
		".strata/runs/dev-up-20261123T000000Z.jsonl"), []byte(leaky()), 0o600))
	file := filepath.Join(t.TempDir(), "support.tar.gz")

	code, stdout, stderr := invoke(t, "", "support", "-s", "dev", "--project", folder, "-o", file,
		"--timeout", "3s", "--gate-timeout", "500ms")
	require.Equal(t, 0, code, stdout+stderr)
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	files := unpacked(t, file)
	for name, has := range map[string]string{
		"README.txt": "missing, or not whole: cluster/jobs.txt", "version.json": `"sha256"`,
		"pulumi.txt": "v3.250.0", "stack.yaml": "address: 10.10.0.11",
		"state.txt": "::k3s-server-1-gate", "health.txt": "k3s-server-1-gate",
		"health.json": `"gate"`, "hosts/server-1.txt": "k3s.service: password [redacted]",
		"cluster/nodes.txt": "NAMESPACE", "cluster/pods.txt": "kube-system",
		"cluster/events.txt": "coredns", "runs/dev-up-20261123T000000Z.jsonl": "[redacted]",
	} {
		assert.Contains(t, files[name], has, name)
	}
	assert.Contains(t, files["README.txt"], "missing, or not whole: hosts/server-2.txt")
	assert.Contains(t, stdout, "hosts/server-2.txt",
		"the person is told what to get in another way")
	assert.NotContains(t, files["stack.yaml"], "v1:the", "neither what is encrypted nor what with")
	noSecretIn(t, files, strings.Split(strings.TrimSpace(string(server.PrivateKey())),
		"\n")[1:3]...)

	code, _, stderr = invoke(t, "", "support", "-s", "dev", "--project", folder, "-o", file)
	assert.Equal(t, 2, code, stderr)
	assert.Contains(t, stderr, "is not overwritten")
	assert.Equal(t, files, unpacked(t, file))
}

// noSecretIn fails if a file contains a secret as plain text, in JSON or in base64.
func noSecretIn(t *testing.T, files map[string]string, more ...string) {
	t.Helper()
	for _, secret := range append(more, supportSecrets...) {
		asJSON, err := json.Marshal(secret)
		require.NoError(t, err)
		for name, text := range files {
			assert.NotContains(t, text, secret, name)
			assert.NotContains(t, text, strings.Trim(string(asJSON), `"`), name)
			for _, before := range []string{"", "a", "ab"} { // at each offset, less the characters that also encode neighbours
				encoded := base64.RawStdEncoding.EncodeToString([]byte(before + secret))
				assert.NotContains(t, text, encoded[4:len(encoded)-2], "%s has the base64 of %s",
					name, before+secret)
			}
		}
	}
}

func TestSupportCollectsNothingWhenSecretsCannotBeRead(t *testing.T) {
	supportPulumi(t, "")
	file := filepath.Join(t.TempDir(), "support.tar.gz")
	code, _, stderr := invoke(t, "", "support", "-s", "dev", "--project", project(t, supportStack),
		"-o", file)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "incorrect passphrase")
	assert.Contains(t, stderr, "nothing was collected")
	assert.NoFileExists(t, file)
}

func TestSupportReportsUnreadablePulumiESCEnvironment(t *testing.T) {
	server := sshtest.Start(t)
	supportPulumi(t, supportState(t, supportAPI(t), server.PrivateKey()))
	file := filepath.Join(t.TempDir(), "support.tar.gz")
	code, stdout, stderr := invoke(t, "", "support", "-s", "dev", "--project",
		project(t, supportStack+environment), "-o", file, "--gate-timeout", "500ms")
	require.Equal(t, 0, code, stdout+stderr)
	assert.Contains(t, unpacked(t, file)["README.txt"], "environment: has values of Pulumi ESC")
}

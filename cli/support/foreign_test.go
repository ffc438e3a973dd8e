package support

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shown returns what the archive shows of two sources: a stack file with one line of configuration,
// and a journal.
func shown(t *testing.T, line, journal string) (file, quoted string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "Pulumi.dev.yaml")
	require.NoError(t, os.WriteFile(path, []byte("config:\n  "+line+"\n"), 0o600))
	read := readStackFile(filepath.Dir(path), path)
	found, err := read.secrets(t.Context(), nil)
	require.NoError(t, err)
	text, err := read.withoutSecrets(t.Context())
	require.NoError(t, err)
	hide := newRedactor(nil, nil, found)
	return hide.text(string(text)), hide.text(journal)
}

// Strata has no key that marks a chart's value or an argument as secret. Only the name of the
// value, or the text around it, shows that the value is secret.
func TestPlainSecretsInChartValuesAreRedacted(t *testing.T) {
	for name, line := range map[string]string{
		"credentials of a chart":   "strata:traefik: {values: {credentials: hunter2hunter2}}",
		"an object of credentials": "strata:traefik: {values: {credentials: {aws: hunter2hunter2}}}",
		"APISIX's controller":      "strata:apisix: {controllerValues: {adminKey: hunter2hunter2}}",
		"basic authentication":     "strata:traefik: {values: {auth: 'me:hunter2hunter2'}}",
		"passwd":                   "strata:traefik: {values: {passwd: hunter2hunter2}}",
		"a number":                 "strata:argocd: {values: {configs: {secret: {adminPassword: 20240917}}}}",
		"an address with a login":  "strata:traefik: {values: {dsn: 'postgres://me:hunter2hunter2@db/x'}}",
		"an argument of a chart":   "strata:traefik: {values: {additionalArguments: ['--hub.token=hunter2hunter2']}}",
		"arguments in one text": "strata:traefik: {values: {command: 'serve --api-token " +
			"hunter2hunter2 --verbose'}}",
		"a variable of a Pod": "strata:traefik: {values: {env: [{name: DB_PASSWORD, value: hunter2hunter2}]}}",
		"a file":              `strata:traefik: {values: {config: "log: debug\nadmin:\n  password: hunter2hunter2\n"}}`,
		"a solver's token": "strata:certManager: {acme: {dns01: {webhook: {config: " +
			"{apiToken: hunter2hunter2}}}}}",
		"K3s's backups to S3": "strata:k3s: {serverArgs: {etcd-s3-secret-key: hunter2hunter2}}",
		"K3s's data store": "strata:k3s: {serverArgs: {datastore-endpoint: " +
			"'postgres://me:hunter2hunter2@db:5432/k3s'}}",
		"an argument of kubelet": "strata:k3s: {agentArgs: {kubelet-arg: ['bootstrap-token=hunter2hunter2', v=2]}}",
		"an environment in plain": "strata:apps: {workloads: [{name: shop, env: " +
			"{DATABASE_URL: 'postgres://me:hunter2hunter2@db/x'}}]}",
		"an argument of a workload": "strata:apps: {workloads: [{name: shop, args: " +
			"['--admin-password=hunter2hunter2']}]}",
		"an address of Strata's own": "strata:k3s: {proxy: {http: 'http://me:hunter2hunter2@proxy:3128'}}",
		"another provider's key":     "aws:secretKey: hunter2hunter2",
		"a section as JSON":          `strata:traefik: '{"values": {"credentials": "hunter2hunter2"}}'`,
		"a numeric key":              "strata:traefik: {values: {1: {token: hunter2hunter2}}}",
	} {
		t.Run(name, func(t *testing.T) {
			file, journal := shown(t, line,
				`msg="login with hunter2hunter2 or 20240917 or http://me:hunter2hunter2@proxy:3128"`)
			assert.NotContains(t, file, "hunter2hunter2")
			assert.NotContains(t, file, "20240917")
			assert.Contains(t, journal, redacted)
		})
	}
}

// A password in a URL is percent-encoded. Clients send and log it decoded.
func TestURLPasswordIsRedactedInUnescapedForm(t *testing.T) {
	_, journal := shown(t,
		"strata:k3s: {serverArgs: {datastore-endpoint: 'postgres://me:p%40ss-word1@db:5432/k3s'}}",
		"login of me with p@ss-word1")
	assert.Equal(t, "login of me with "+redacted, journal)
}

// Users encrypt an argument together with its name, but the program that gets it logs the value
// alone.
func TestEncryptedArgumentValueIsRedactedWithoutFlagName(t *testing.T) {
	for line, decrypted := range map[string]string{
		"strata:traefik: {values: {additionalArguments: [{secure: v1:x}]}}": `{"strata:traefik":{"objectValue":{"values":{"additionalArguments":["--hub.token=hunter2"]}}}}`,
		"strata:k3s: {agentArgs: {kubelet-arg: [{secure: v1:x}]}}":          `{"strata:k3s":{"objectValue":{"agentArgs":{"kubelet-arg":["bootstrap-token=hunter2"]}}}}`,
		"aws:args: {secure: v1:x}":                                          `{"aws:args":{"value":"--secret-key hunter2"}}`,
	} {
		path := filepath.Join(t.TempDir(), "Pulumi.dev.yaml")
		require.NoError(t, os.WriteFile(path, []byte("config:\n  "+line+"\n"), 0o600))
		found, err := readStackFile(filepath.Dir(path), path).
			secrets(t.Context(), func(context.Context, []byte, ...string) ([]byte, error) {
				return []byte(decrypted), nil
			})
		require.NoError(t, err)
		assert.Equal(t, "refused: "+redacted,
			newRedactor(nil, nil, found).text("refused: hunter2"), line)
	}
}

// Under other names than those of secrets, the archive leaves out texts of more than one word.
func TestArchiveOmitsTextsThatMayContainSecret(t *testing.T) {
	file, _ := shown(t, `strata:traefik: {values: {a: "hunter2 hunter2", b: 'me,hunter2', c: [x=hunter2]}}`, "")
	assert.NotContains(t, file, "hunter2")
	assert.Contains(t, file, notShown)
}

// Readers of an archive look for names, addresses, versions and switches.
func TestHarmlessValuesStayInArchive(t *testing.T) {
	for _, line := range []string{
		"strata:traefik: {values: {auth: {enabled: true, url: " +
			"https://idp.example.org/realms/main}, createSecret: true, tokenTTL: 2592000}}",
		"strata:traefik: {values: {existingSecret: shop-login, tlsSecretName: shop-tls, keyFile: /etc/shop/tls.key}}",
		"strata:traefik: {values: {secretKeyRef: {name: shop-login, key: shop-token}}}",
		"strata:traefik: {values: {tolerations: [{key: node-role.kubernetes.io/control-plane, operator: Exists}]}}",
		"strata:traefik: {values: {env: [{name: LOG_LEVEL, value: warning}]}}",
		"strata:certManager: {acme: {dns01: {cloudflare: {apiTokenSecretRef: {name: " +
			"cloudflare-east, key: api-token}}}}}",
		"strata:certManager: {acme: {dns01: {rfc2136: {nameserver: '10.0.0.1:53', tsigKeyName: " +
			"shop-dns, tsigAlgorithm: HMACSHA512}}}}",
		"strata:k3s: {serverArgs: {secrets-encryption: true, flannel-backend: host-gw, " +
			"etcd-s3-endpoint: s3.example.org}}",
		"strata:hosts: {ssh: {keyFile: ~/.ssh/id_ed25519}}",
	} {
		file, journal := shown(t, line, line)
		assert.NotContains(t, file, redacted, line)
		assert.NotContains(t, file, notShown, line)
		assert.Equal(t, line, journal)
	}
}

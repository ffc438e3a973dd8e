package support

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shown is what an archive has of a stack's file with one line of configuration, and of a text of a journal.
func shown(t *testing.T, line, journal string) (file, quoted string) {
	t.Helper()
	content, err := decoded([]byte("config:\n  " + line + "\n"))
	require.NoError(t, err, line)
	read := stackFile{content: content}
	found, err := read.secrets(t.Context(), nil)
	require.NoError(t, err)
	text, err := read.withoutSecrets(t.Context())
	require.NoError(t, err)
	hide := newRedactor(nil, nil, found)
	return hide.text(string(text)), hide.text(journal)
}

// Whoever looks for it has it from the configuration: a password of some length.
const plainPassword = "hunter2hunter2"

func TestWhatIsSecretInPlainIsNeitherInTheStackFileNorWhereAJournalQuotesIt(t *testing.T) {
	for name, line := range map[string]string{
		"credentials of a chart":         "strata:traefik: {values: {credentials: hunter2hunter2}}",
		"an object of credentials":       "strata:traefik: {values: {credentials: {aws: hunter2hunter2}}}",
		"APISIX's controller":            "strata:apisix: {controllerValues: {adminKey: hunter2hunter2}}",
		"basic authentication":           "strata:traefik: {values: {auth: 'me:hunter2hunter2'}}",
		"a list of basic authentication": "strata:traefik: {values: {basicAuth: ['me:hunter2hunter2']}}",
		"passwd":                         "strata:traefik: {values: {passwd: hunter2hunter2}}",
		"a name in one word":             "strata:traefik: {values: {dbpassword: hunter2hunter2}}",
		"a name in capitals":             "strata:traefik: {values: {SMTP_PASS: hunter2hunter2}}",
		"a numbered name":                "strata:traefik: {values: {password1: hunter2hunter2}}",
		"a name that goes on":            "strata:traefik: {values: {passwordhash: hunter2hunter2}}",
		"a list of logins":               `strata:traefik: {values: {credentials: "me:hunter2hunter2\nyou:hunter3hunter3\n"}}`,
		"a file of logins of a workload": `strata:apps: {workloads: [{name: shop, secretFiles: {users: "me:hunter2hunter2\nyou:hunter3hunter3\n"}}]}`,
		"a parameter of an address":      "strata:traefik: {values: {hook: 'https://ci.example.org/hook?token=hunter2hunter2&branch=main'}}",
		"contents of files":              "strata:traefik: {values: {secretFiles: {app.conf: hunter2hunter2}}}",
		"an address with a login":        "strata:traefik: {values: {dsn: 'postgres://me:hunter2hunter2@db/x'}}",
		"an address in a list of them":   "strata:traefik: {values: {brokers: 'amqp://a:5672,amqp://me:hunter2hunter2@b:5672'}}",
		"a data source of MySQL":         "strata:traefik: {values: {source: 'me:hunter2hunter2@tcp(db:3306)/x'}}",
		"a connection string":            "strata:traefik: {values: {store: 'Server=db;Password=hunter2hunter2;Encrypt=true'}}",
		"an argument of a chart":         "strata:traefik: {values: {additionalArguments: ['--hub.token=hunter2hunter2']}}",
		"an argument in two":             "strata:traefik: {values: {args: ['--hub.token', hunter2hunter2]}}",
		"arguments in one text":          "strata:traefik: {values: {command: 'serve --api-token hunter2hunter2 --verbose'}}",
		"a variable of a Pod":            "strata:traefik: {values: {env: [{name: DB_PASSWORD, value: hunter2hunter2}]}}",
		"a header":                       "strata:traefik: {values: {headers: {X-Auth: 'Bearer hunter2hunter2'}}}",
		"a file in YAML":                 `strata:traefik: {values: {config: "log: debug\nadmin:\n  password: hunter2hunter2\n"}}`,
		"a file in JSON":                 `strata:traefik: {values: {config: '{"log":"debug","admin":{"password":"hunter2hunter2"}}'}}`,
		"a file in TOML":                 `strata:traefik: {values: {config: "[admin]\npassword = \"hunter2hunter2\"\n"}}`,
		"a solver's token":               "strata:certManager: {acme: {dns01: {webhook: {config: {apiToken: hunter2hunter2}}}}}",
		"a solver's login":               "strata:certManager: {acme: {dns01: {webhook: {config: {credentials: hunter2hunter2}}}}}",
		"K3s's backups to S3":            "strata:k3s: {serverArgs: {etcd-s3-secret-key: hunter2hunter2}}",
		"K3s's data store":               "strata:k3s: {serverArgs: {datastore-endpoint: 'postgres://me:hunter2hunter2@db:5432/k3s'}}",
		"K3s's VPN":                      "strata:k3s: {agentArgs: {vpn-auth: 'name=tailscale,joinKey=hunter2hunter2'}}",
		"an argument of kubelet":         "strata:k3s: {agentArgs: {kubelet-arg: ['bootstrap-token=hunter2hunter2', v=2]}}",
		"a file of a workload":           `strata:apps: {workloads: [{name: shop, secretFiles: {app.conf: "log = debug\npassword = hunter2hunter2\n"}}]}`,
		"an environment in plain":        "strata:apps: {workloads: [{name: shop, env: {DATABASE_URL: 'postgres://me:hunter2hunter2@db/x'}}]}",
		"an argument of a workload":      "strata:apps: {workloads: [{name: shop, args: ['--admin-password=hunter2hunter2']}]}",
		"an address of Strata's own":     "strata:k3s: {proxy: {http: 'http://me:hunter2hunter2@proxy:3128'}}",
		"a provider's":                   "aws:secretKey: hunter2hunter2",
	} {
		t.Run(name, func(t *testing.T) {
			file, journal := shown(t, line, `time=1 msg="login with `+plainPassword+`"`)
			assert.NotContains(t, file, plainPassword)
			assert.NotContains(t, journal, plainPassword)
		})
	}
}

// These are longer than the part that tells them.
func TestWhatATextShowsToBeSecretIsHiddenAsAWhole(t *testing.T) {
	for line, whole := range map[string]string{
		"strata:traefik: {values: {database: 'postgres://me:hunter2hunter2/#@db/x'}}":                                                       "hunter2hunter2/#",
		"strata:traefik: {values: {repo: 'https://hunter2hunter2hunter2@git.example.org/a'}}":                                               "hunter2hunter2hunter2",
		"strata:traefik: {values: {hook: 'https://hooks.slack.com/services/T0/B0/hunter2hunter2'}}":                                         "services/T0/B0/hunter2hunter2",
		"strata:traefik: {values: {a: [--git, ghp_hunter2hunter2hunter2]}}":                                                                 "ghp_hunter2hunter2hunter2",
		"strata:traefik: {values: {a: eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9.hunter2}}":                                                       "eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9.hunter2",
		"strata:traefik: {values: {users: ['me:$apr1$hunter2hunter2$x']}}":                                                                  "$apr1$hunter2hunter2$x",
		"strata:traefik: {values: {a: 'redis://:hunter2%2Fhunter2@cache:6379'}}":                                                            "hunter2/hunter2",
		`strata:traefik: {values: {a: "-----BEGIN PRIVATE KEY-----\naHVudGVyMmh1bnRlcjJodW50ZXIy\naHVudGVyMg\n-----END PRIVATE KEY-----"}}`: "aHVudGVyMmh1bnRlcjJodW50ZXIy",
		`strata:traefik: {values: {a: "b:\n  token: |\n    hunter2hunter2\n    hunter2hunter3\n"}}`:                                         "hunter2hunter2\nhunter2hunter3",
	} {
		file, journal := shown(t, line, "login with "+whole)
		for part := range strings.FieldsSeq(whole) {
			assert.NotContains(t, file, part, line)
			assert.NotContains(t, journal, part, line)
		}
		assert.Contains(t, file, redacted, line)
	}
}

// The key of a Secret is a name, what is beside it is not.
func TestTheKeyOfASolversSecretStays(t *testing.T) {
	file, journal := shown(t, "strata:certManager: {acme: {secrets: [{name: dns-east, key: shop-key, value: hunter2hunter2}]}}", "shop-key hunter2hunter2")
	assert.Contains(t, file, "key: shop-key")
	assert.NotContains(t, file, plainPassword)
	assert.Equal(t, "shop-key "+redacted, journal)
}

// A chart takes a password of digits for a number, and prints it as one.
func TestASecretThatIsANumberIsHiddenWithAllItsDigits(t *testing.T) {
	for line, forms := range map[string][]string{
		"strata:argocd: {values: {configs: {adminPassword: 20240917}}}":                      {"20240917", "2.0240917e+07"},
		"strata:certManager: {acme: {dns01: {webhook: {config: {apiKey: 8812345678}}}}}":     {"8812345678", "8.812345678e+09"},
		"strata:traefik: {values: {apiKey: 9007199254740993123}}":                            {"9007199254740993123"},
		"strata:hosts: {ssh: {sudoPassword: 20240917}}":                                      {"20240917"},
		"strata:traefik: {values: {additionalArguments: ['--hub.token=20240917']}}":          {"20240917"},
		"strata:apps: {workloads: [{name: shop, secretEnv: {PIN: 20240917}, image: a/b}]}":   {"20240917"},
		"strata:traefik: {values: {env: [{name: HUB_TOKEN, value: 8812345678}], ports: {}}}": {"8812345678"},
	} {
		for _, form := range forms {
			file, journal := shown(t, line, "login with "+form)
			assert.NotContains(t, file, form, line)
			assert.Equal(t, "login with "+redacted, journal, line)
		}
	}
}

// What is short or common is hidden where it stands, and stays where a journal has it for something else.
func TestAShortOrCommonSecretIsHiddenWhereItStandsOnly(t *testing.T) {
	const journal = "level=info msg=\"default token of admin, 4711 bytes, port 6443, pw of 10.10.0.11, keycloak and traefik are true\""
	for line, secret := range map[string]string{
		"strata:traefik: {values: {adminPassword: 4711}}":                           "4711",
		"strata:traefik: {values: {adminPassword: admin}}":                          "Password: admin",
		"strata:traefik: {values: {dsn: 'postgres://me:pw@db/x'}}":                  ":pw@",
		"strata:traefik: {values: {additionalArguments: ['--hub.token=default']}}":  "=default",
		"strata:traefik: {values: {keycloak: {password: keycloak}}}":                "password: keycloak",
		"strata:traefik: {values: {config: \"[a]\\npassword=traefik\\nlog=info\"}}": "password=traefik",
	} {
		file, quoted := shown(t, line, journal)
		assert.NotContains(t, file, secret, line)
		assert.Contains(t, file, redacted, line)
		assert.Equal(t, journal, quoted, line)
	}
}

func TestTheCommittedStacksHaveNothingToHide(t *testing.T) {
	files, err := filepath.Glob("../../Pulumi.*.yaml")
	require.NoError(t, err)
	require.Greater(t, len(files), 4)
	for _, path := range files {
		file := readStackFile(path)
		found, err := file.secrets(t.Context(), nil)
		require.NoError(t, err)
		assert.Empty(t, found, path)
		shown, err := file.withoutSecrets(t.Context())
		require.NoError(t, err)
		assert.NotContains(t, string(shown), redacted, path)
	}
}

// Who reads an archive looks for names, addresses, versions and switches.
func TestWhatIsNoSecretStaysInTheStackFileAndInJournals(t *testing.T) {
	for _, line := range []string{
		"strata:traefik: {values: {auth: {enabled: true, method: kubernetes, url: https://idp.example.org/realms/main, clientId: strata-ui-2}}}",
		"strata:traefik: {values: {auth: kubernetes, authentication: {mechanism: SCRAM-SHA-256}}}",
		"strata:traefik: {values: {createSecret: true, secretsEnabled: 'false', tokenTTL: 2592000, keySize: 4096, passwordLength: 24}}",
		"strata:traefik: {values: {existingSecret: shop-login, tlsSecretName: shop-tls, imagePullSecrets: [regcred-east]}}",
		"strata:traefik: {values: {existingSecret: {name: shop-login, key: admin-password}}}",
		"strata:traefik: {values: {secretKeyRef: {name: shop-login, key: shop-token}}}",
		"strata:traefik: {values: {keyFile: /etc/shop/tls.key, password: '${SHOP_PASSWORD}', tokenPath: shop/token}}",
		"strata:traefik: {values: {tolerations: [{key: node-role.kubernetes.io/control-plane, operator: Exists}]}}",
		"strata:traefik: {values: {volumes: [{configMap: {name: shop, items: [{key: shop.conf, path: shop.conf}]}}]}}",
		"strata:traefik: {values: {topologySpreadConstraints: [{topologyKey: topology.kubernetes.io/zone}]}}",
		"strata:traefik: {values: {affinity: {nodeAffinity: [{matchExpressions: [{key: shop.example.org/disk, operator: In}]}]}}}",
		"strata:traefik: {values: {env: [{name: LOG_LEVEL, value: warning}, {name: TOKEN_URL, value: https://idp.example.org/token}]}}",
		"strata:traefik: {values: {secret: {annotations: {shop.example.org/owner: team-east}, name: shop-login}}}",
		"strata:traefik: {values: {image: 'quay.io/shop/web:v1.2.3@sha256:0123456789abcdef', publicKey: ssh-ed25519}}",
		"strata:traefik: {values: {keycloak: {host: https://idp.example.org:8443}, ports: {web: {http: redirections}}}}",
		"strata:certManager: {acme: {dns01: {rfc2136: {nameserver: '10.0.0.1:53', tsigKeyName: shop-dns, tsigAlgorithm: HMACSHA512}}}}",
		"strata:certManager: {acme: {dns01: {cloudflare: {apiTokenSecretRef: {name: cloudflare-east, key: api-token}}}}}",
		"strata:k3s: {serverArgs: {secrets-encryption: true, secrets-encryption-provider: secretbox-east, etcd-s3-endpoint: s3.example.org}}",
		"strata:k3s: {serverArgs: {kube-apiserver-arg: [service-account-key-file=/etc/shop.key, service-account-max-token-expiration=24h, v=4]}}",
		"strata:k3s: {serverArgs: {kube-apiserver-arg: ['feature-gates=ServiceAccountTokenPodNodeInfo=true'], token-file: /etc/shop/token}}",
		"strata:hosts: {ssh: {keyFile: ~/.ssh/id_ed25519, hostKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIshop}}",
		"strata:hosts: {hypervisor: {address: 10.10.0.2}, libvirt: {uri: 'qemu+ssh://root@10.10.0.2/system'}}",
		"strata:apps: {workloads: [{name: shop, image: 'shop:1', env: {LOG_LEVEL: warning, PEERS: 'a:8080,b:8080'}, args: [--listen=0.0.0.0:8080]}]}",
	} {
		content, err := decoded([]byte(line))
		require.NoError(t, err)
		file, journal := shown(t, line, line)
		shown, err := decoded([]byte(file))
		require.NoError(t, err)
		assert.Equal(t, content, shown.(map[string]any)["config"])
		assert.Equal(t, line, journal)
	}
}

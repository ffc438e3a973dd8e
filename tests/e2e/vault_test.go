package e2e

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"io"
	"testing"
	"time"

	"github.com/hashicorp/vault/api"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/cluster/vault"
	"strata/internal/kube/apiserver"
)

// The stack's own Vault signs the platform's certificates, and gates name Vault's faults.
func TestVaultSigns(t *testing.T) {
	t.Parallel()
	net := network{"stk0", "10.22.0"}
	all := []node{{"server-1", "server", 11}}
	hosts := existingHosts(t, "e2ev", net, all...)
	s := newStack(t, "e2e-vault", vaultToTryOut(hosts, true, all...))
	s.step("a Vault without a volume is installed", func(*testing.T) { s.must(s.up()) })
	s.step("the Vault without a volume is removed", func(*testing.T) {
		s.configure(vaultToTryOut(hosts, false, all...))
		s.must(s.up())
		s.configure(signedByVault(hosts, nil, all...))
	})
	s.step("a missing StorageClass is named", func(t *testing.T) {
		r := s.up()
		require.Error(t, r.err, "%s", r.output)
		assert.Contains(t, r.output, "gate vault-volume: stuck")
		assert.Contains(t, r.output, "no StorageClass")
	})
	s.step("with a StorageClass, an update succeeds", func(*testing.T) {
		hosts.makeVolume("server-1")
		s.must(s.up())
	})
	s.step("a rerun changes nothing", func(*testing.T) { s.must(s.up("--expect-no-changes")) })
	s.step("the certificate of a URL leads to Vault's root", func(t *testing.T) {
		assert.Equal(t, 401, s.get(t, s.urls()["traefik"], "").code)
		block, _ := pem.Decode([]byte(s.output("caCertificate")))
		root, err := x509.ParseCertificate(block.Bytes)
		require.NoError(t, err)
		assert.Equal(t, "Strata root of e2e-vault", root.Subject.CommonName)
		assert.Equal(t, s.inVault(t, vault.RootMount), string(pem.EncodeToMemory(block)))
	})
	s.step("only the state has Vault's keys, as secrets", func(t *testing.T) {
		keys, err := vault.ParseKeys(s.output("vaultKeys"))
		require.NoError(t, err)
		assert.NotContains(t, s.must(s.run("pulumi", "stack", "export", "--stack", s.name)).output,
			keys.RootToken)
		secrets, err := s.client().CoreV1().Secrets("vault").List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		for _, secret := range secrets.Items {
			assert.NotEqual(t, vault.HandoverSecret, secret.Name)
		}
	})
	s.step("cert-manager reaches Vault, and other Pods do not", func(t *testing.T) {
		address := s.service(t, "vault", "vault", 8200)
		for _, stranger := range s.strangers(t) {
			assert.Empty(t, hosts.reached(stranger, address))
		}
		for _, signer := range s.peers(t, "cert-manager", "app.kubernetes.io/name=cert-manager") {
			assert.Equal(t, []string{address}, hosts.reached(signer, address))
		}
	})
	s.step("health names a missing permission of Vault", s.losesItsBinding)
	s.step("a protected stack keeps Vault and its volume when the issuer changes",
		func(t *testing.T) {
			s.keepsItsVault(t, signedByVault(hosts, nil, all...))
			s.configure(signedByVault(hosts, nil, all...))
		})
	s.step("health names a Vault that a restart sealed, and unseal opens it",
		func(t *testing.T) {
			require.NoError(t, s.client().CoreV1().Pods("vault").Delete(t.Context(), "vault-0",
				metav1.DeleteOptions{}))
			s.unhealthy(t, []string{"--gate", "vault-gate"}, "sealed", "vault unseal")
			s.must(s.run(strata, "vault", "unseal", "--stack", s.name))
			s.healthy()
		})
	address := map[string]any{"address": "https://vault.vault.svc:8200", "caCertificate": s.ca(t)}
	s.step("a missing login role is named", func(t *testing.T) {
		s.refusedWithin(t, time.Minute, func(limit string) result {
			s.configure(withTimeouts(signedByVault(hosts, with(address, "role", "no-such-role"),
				all...), "certificate", limit))
			return s.up()
		}, "vault-ca-gate", "wrong Vault role")
	})
	s.step("an expired token is named", func(t *testing.T) {
		token := s.expiredToken(t)
		s.refusedWithin(t, time.Minute, func(limit string) result {
			s.configure(withTimeouts(signedByVault(hosts, with(address, "token", token), all...),
				"certificate", limit))
			return s.up()
		}, "vault-ca-check-gate", "token is expired or invalid")
	})
	s.step("the next update with the right login succeeds", func(*testing.T) {
		s.configure(signedByVault(hosts, nil, all...))
		s.must(s.up())
		s.must(s.up("--expect-no-changes"))
		s.healthy()
	})
	s.step("destroy", func(t *testing.T) {
		s.must(s.destroy())
		assert.Empty(t, s.resources())
	})
}

// losesItsBinding deletes the ClusterRoleBinding that lets Vault verify login tokens. The gate must
// name the binding, and open once it is restored.
func (s *stack) losesItsBinding(t *testing.T) {
	bindings := s.client().RbacV1().ClusterRoleBindings()
	kept, err := bindings.Get(t.Context(), "vault-server-binding", metav1.GetOptions{})
	require.NoError(t, err)
	require.NoError(t, bindings.Delete(t.Context(), kept.Name, metav1.DeleteOptions{}))
	s.unhealthy(t, nil, "ServiceAccount vault/vault may not create",
		"ClusterRoleBinding vault-server-binding does not exist")
	kept.ResourceVersion = ""
	_, err = bindings.Create(t.Context(), kept, metav1.CreateOptions{})
	require.NoError(t, err)
	s.healthy()
}

// keepsItsVault changes the issuer of a protected stack from its own Vault to another. The update
// must be refused, even with consent to delete the namespace.
func (s *stack) keepsItsVault(t *testing.T, sections map[string]any) {
	before, err := s.client().CoreV1().Pods("vault").Get(t.Context(), "vault-0", metav1.GetOptions{})
	require.NoError(t, err)
	delete(sections, "vault")
	sections["certManager"] = map[string]any{"issuer": "selfSigned"}
	for _, wanted := range []map[string]any{sections, discarding(sections, "vault")} {
		s.configure(protected(wanted))
		s.refused(t, s.up(), "refused, nothing was deleted",
			"- namespace vault: volume vault/data-vault-0 (1Gi)\n",
			"set strata:k3s.protect to false")
	}
	assert.True(t, isBound(t, s.client(), "vault", "data-vault-0"))
	now, err := s.client().CoreV1().Pods("vault").Get(t.Context(), "vault-0", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, before.UID, now.UID)
}

// signedByVault returns a platform whose certificates its own Vault signs. login overrides settings
// for the login to Vault.
func signedByVault(hosts *hostSet, login map[string]any, nodes ...node) map[string]any {
	sections := platform(hosts, nodes...)
	manager := map[string]any{"issuer": "vault"}
	if login != nil {
		manager["vault"] = login
	}
	sections["certManager"] = manager
	sections["vault"] = map[string]any{"enabled": true}
	sections["argocd"] = map[string]any{"enabled": false}
	return withTimeouts(sections, "certificate", patient)
}

// vaultToTryOut returns a cluster with cert-manager and, if enabled is true, a Vault that loses its
// data with its Pod.
func vaultToTryOut(hosts *hostSet, enabled bool, nodes ...node) map[string]any {
	off := map[string]any{"enabled": false}
	return map[string]any{
		"hosts": hosts.hosts(nodes...), "metallb": off, "argocd": off,
		"ingress": map[string]any{"controllers": []string{}},
		"vault": map[string]any{"enabled": enabled,
			"storage": map[string]any{"persistent": false}},
	}
}

// makeVolume creates a default StorageClass and one volume of it, which the lab lacks. It runs
// kubectl on the host, because a failed update may export no kubeconfig.
func (l *hostSet) makeVolume(name string) {
	l.must(name, `set -eu
mkdir -m 0777 /var/lib/strata-vault
k3s kubectl apply -f - <<EOF
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: disk, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: kubernetes.io/no-provisioner
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk}
spec: {storageClassName: disk, capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /var/lib/strata-vault}}
EOF`)
}

func with(values map[string]any, key string, value any) map[string]any {
	return merged(values, map[string]any{key: value})
}

// ca returns the root certificate of the stack's Vault.
func (s *stack) ca(t *testing.T) string {
	secret, err := s.client().CoreV1().Secrets("cert-manager").Get(t.Context(), "strata-ca",
		metav1.GetOptions{})
	require.NoError(t, err)
	return string(secret.Data["ca.crt"])
}

// asRoot calls do with a client that has all rights in the stack's Vault.
func (s *stack) asRoot(t *testing.T, do func(ctx context.Context, client *api.Client)) {
	keys, err := vault.ParseKeys(s.output("vaultKeys"))
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), silence)
	defer cancel()
	server := vault.Server{Namespace: "vault", Pod: "vault-0", Port: 8200, Name: "vault.vault.svc",
		CA: s.ca(t)}
	client, stop, err := vault.Dial(ctx,
		apiserver.Access{Kubeconfig: []byte(s.output("kubeconfig"))}, server, io.Discard)
	require.NoError(t, err)
	defer stop()
	client.SetToken(keys.RootToken)
	do(ctx, client)
}

// inVault returns the CA certificate of a mount in Vault.
func (s *stack) inVault(t *testing.T, mount string) string {
	var text string
	s.asRoot(t, func(ctx context.Context, client *api.Client) {
		secret, err := client.Logical().ReadWithContext(ctx, mount+"/cert/ca")
		require.NoError(t, err)
		text = secret.Data["certificate"].(string) + "\n"
	})
	return text
}

// expiredToken returns an expired token with all rights that cert-manager needs.
func (s *stack) expiredToken(t *testing.T) string {
	var token string
	s.asRoot(t, func(ctx context.Context, client *api.Client) {
		secret, err := client.Auth().Token().CreateWithContext(ctx,
			&api.TokenCreateRequest{Policies: []string{"strata"}, TTL: "1s"})
		require.NoError(t, err)
		token = secret.Auth.ClientToken
		eventually(t, func(c require.TestingT) {
			_, err := client.Auth().Token().LookupWithContext(ctx, token)
			require.Error(c, err, "the token is not expired")
		})
	})
	return token
}

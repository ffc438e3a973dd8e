package vault

import (
	"context"
	"fmt"

	"github.com/hashicorp/vault/api"
)

// writeSigningRole writes the PKI role for certificates, and a policy that only allows to sign with
// it.
func writeSigningRole(ctx context.Context, client *api.Client, want Issuing) error {
	_, err := client.Logical().WriteWithContext(ctx, IntermediateMount+"/roles/"+want.Role,
		map[string]any{
			"allowed_domains":             want.Domain,
			"allow_bare_domains":          true,
			"allow_subdomains":            true,
			"allow_wildcard_certificates": true,
			"require_cn":                  false, // cert-manager uses DNS names instead of a common name
			"key_type":                    "any",
			"max_ttl":                     certificateTTL,
		})
	if err != nil {
		return fmt.Errorf("write the PKI role %s: %w", want.Role, err)
	}
	policy := fmt.Sprintf("path %q {\n  capabilities = [\"create\", \"update\"]\n}\n",
		SignPath(want.Role))
	if err := client.Sys().PutPolicyWithContext(ctx, want.Role, policy); err != nil {
		return fmt.Errorf("write the policy %s: %w", want.Role, err)
	}
	return nil
}

// SignPath returns the API path at which Vault signs certificates for cert-manager.
func SignPath(role string) string { return IntermediateMount + "/sign/" + role }

// login configures Vault so that a ServiceAccount of the cluster can log in with its token. Vault
// verifies the token with its own ServiceAccount.
func login(ctx context.Context, client *api.Client, want Issuing) error {
	methods, err := client.Sys().ListAuthWithContext(ctx)
	if err != nil {
		return fmt.Errorf("list the login methods: %w", err)
	}
	if methods[loginMount+"/"] == nil {
		if err := client.Sys().EnableAuthWithOptionsWithContext(ctx, loginMount,
			&api.EnableAuthOptions{Type: "kubernetes"}); err != nil {
			return fmt.Errorf("enable the login method kubernetes: %w", err)
		}
	}
	_, err = client.Logical().WriteWithContext(ctx, "auth/"+loginMount+"/config", map[string]any{
		"kubernetes_host": "https://kubernetes.default.svc:443",
	})
	if err != nil {
		return fmt.Errorf("configure the login method kubernetes: %w", err)
	}
	role := map[string]any{
		"bound_service_account_names":      want.ServiceAccount,
		"bound_service_account_namespaces": want.Namespace,
		"token_policies":                   want.Role,
		"token_ttl":                        "10m",
	}
	if want.Audience != "" {
		role["audience"] = want.Audience
	}
	if _, err := client.Logical().WriteWithContext(ctx, "auth/"+loginMount+"/role/"+want.Role,
		role); err != nil {
		return fmt.Errorf("write the login role %s: %w", want.Role, err)
	}
	return nil
}

package vault

import (
	"context"
	"fmt"

	"github.com/hashicorp/vault/api"
)

// Issuing configures how Vault issues certificates to cert-manager.
type Issuing struct {
	// CommonName is the common name of the root CA.
	CommonName string `json:"commonName"`
	// Domain is the DNS domain for which Vault signs certificates, including its subdomains.
	Domain string `json:"domain"`
	// Permitted lists the domains, including their subdomains, to which the root CA's name
	// constraints limit its certificates. Empty: no name constraints. It is only used when the root
	// CA is created.
	Permitted []string `json:"permitted,omitempty"`
	// Role is the name of the PKI role, the policy and the login role.
	Role string `json:"role"`
	// Namespace and ServiceAccount identify the account that may log in. Its tokens must be for
	// Audience, unless that is empty.
	Namespace      string `json:"namespace"`
	ServiceAccount string `json:"serviceAccount"`
	Audience       string `json:"audience,omitempty"`
}

// Mounts of Vault's secrets engines and of the login. cert-manager requests certificates at
// IntermediateMount; the root CA only signs the intermediate CA.
const (
	RootMount         = "pki"
	IntermediateMount = "pki_int"
	loginMount        = "kubernetes"
)

// Lifetimes of the root and the intermediate, and the longest lifetime of a certificate, in the
// format of Vault's PKI engine.
const (
	rootTTL         = "87600h"
	intermediateTTL = "43800h"
	certificateTTL  = "8760h"
)

// Configure creates the missing CAs, and writes the PKI role, the policy and the login as in want.
// It returns the root's certificate in PEM. The client's token needs the rights for these changes.
func Configure(ctx context.Context, client *api.Client, want Issuing) (string, error) {
	mounts, err := client.Sys().ListMountsWithContext(ctx)
	if err != nil {
		return "", fmt.Errorf("list the secrets engines: %w", err)
	}
	for path, ttl := range map[string]string{RootMount: rootTTL, IntermediateMount: intermediateTTL} {
		if mounts[path+"/"] != nil {
			continue
		}
		input := &api.MountInput{Type: "pki", Config: api.MountConfigInput{MaxLeaseTTL: ttl}}
		if err := client.Sys().MountWithContext(ctx, path, input); err != nil {
			return "", fmt.Errorf("mount pki at %s: %w", path, err)
		}
	}
	root, err := ensureCAs(ctx, client, want)
	if err != nil {
		return "", err
	}
	if err := writeSigningRole(ctx, client, want); err != nil {
		return "", err
	}
	return root, login(ctx, client, want)
}

// ensureCAs creates the root and the intermediate CA if they are missing, and returns the root's
// certificate in PEM. The private keys never leave Vault.
func ensureCAs(ctx context.Context, client *api.Client, want Issuing) (string, error) {
	root, err := certificateOf(ctx, client, RootMount)
	if err != nil {
		return "", err
	}
	if root == "" {
		generated := map[string]any{"common_name": want.CommonName, "ttl": rootTTL,
			"key_type": "ec", "key_bits": 256}
		if len(want.Permitted) > 0 {
			generated["permitted_dns_domains"] = want.Permitted
			generated["excluded_ip_ranges"] = []string{"0.0.0.0/0", "::/0"}
		}
		made, err := write(ctx, client, RootMount+"/root/generate/internal", generated,
			"certificate")
		if err != nil {
			return "", fmt.Errorf("make the root CA: %w", err)
		}
		root = made
	}
	present, err := certificateOf(ctx, client, IntermediateMount)
	if err != nil || present != "" {
		return root, err
	}
	request, err := write(ctx, client, IntermediateMount+"/intermediate/generate/internal",
		map[string]any{
			"common_name": want.CommonName + " (intermediate)", "key_type": "ec", "key_bits": 256,
		}, "csr")
	if err != nil {
		return "", fmt.Errorf("make the intermediate CA: %w", err)
	}
	signed, err := write(ctx, client, RootMount+"/root/sign-intermediate", map[string]any{
		"csr": request, "common_name": want.CommonName + " (intermediate)", "ttl": intermediateTTL,
	}, "certificate")
	if err != nil {
		return "", fmt.Errorf("sign the intermediate CA: %w", err)
	}
	// Append the root to the intermediate CA's certificate, so that Vault returns the whole chain
	// with each certificate that it issues.
	_, err = client.Logical().WriteWithContext(ctx, IntermediateMount+"/intermediate/set-signed",
		map[string]any{"certificate": signed + "\n" + root})
	if err != nil {
		return "", fmt.Errorf("install the intermediate CA: %w", err)
	}
	return root, nil
}

// certificateOf returns the CA certificate of a mount in PEM; "" if the mount has none yet.
func certificateOf(ctx context.Context, client *api.Client, mount string) (string, error) {
	issuers, err := client.Logical().ListWithContext(ctx, mount+"/issuers")
	if err != nil {
		return "", fmt.Errorf("list the CAs of %s: %w", mount, err)
	}
	if issuers == nil {
		return "", nil
	}
	secret, err := client.Logical().ReadWithContext(ctx, mount+"/cert/ca")
	if err != nil {
		return "", fmt.Errorf("read the CA of %s: %w", mount, err)
	}
	if secret == nil {
		return "", fmt.Errorf("read the CA of %s: it has issuers, and no default one", mount)
	}
	text, _ := secret.Data["certificate"].(string)
	return text, nil
}

// write writes data to a path of Vault's API, and returns one field of the answer. It fails if that
// field is empty.
func write(
	ctx context.Context, client *api.Client, path string, data map[string]any, field string,
) (string, error) {
	secret, err := client.Logical().WriteWithContext(ctx, path, data)
	if err != nil {
		return "", err
	}
	if secret != nil {
		if text, ok := secret.Data[field].(string); ok && text != "" {
			return text, nil
		}
	}
	return "", fmt.Errorf("%s: the answer has no %s", path, field)
}

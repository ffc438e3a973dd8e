package components

import (
	"encoding/base64"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/cluster/kuberead"
	"strata/actions/cluster/vault"
	"strata/config"
	"strata/health"
	"strata/health/issuer"
)

// VaultCAArgs configures NewVaultCA.
type VaultCAArgs struct {
	Layer
	// Config is strata:certManager.vault, validated. An empty Address means the stack's own Vault.
	Config config.VaultIssuer
	// Domain is the domain for which Vault must sign certificates.
	Domain string
	// BoundTokens is true if cert-manager itself requests tokens for a ServiceAccount, which it
	// does since 1.12. Earlier versions read a token from a Secret.
	BoundTokens bool
}

const (
	vaultIssuer       = "strata-vault"
	vaultRole         = "strata"
	vaultAccount      = "vault-issuer"
	vaultAccountToken = "vault-issuer-token"
	vaultTokenSecret  = "vault-token"
	// issuerCheck is the name of a test certificate, which proves that the issuer signs.
	issuerCheck = "strata-issuer-check"
)

// VaultIssuing returns the PKI settings that NewVaultCA needs in the stack's own Vault.
func VaultIssuing(cfg config.CertManager, domain string, boundTokens bool) vault.Issuing {
	issuing := vault.Issuing{CommonName: cfg.CommonName, Domain: domain,
		Permitted: cfg.NameConstraints, Role: vaultRole, Namespace: certManagerNamespace,
		ServiceAccount: vaultAccount}
	if boundTokens {
		issuing.Audience = "vault://" + vaultIssuer
	}
	return issuing
}

// NewVaultCA registers the cluster issuer for Vault, and a test certificate. cert-manager reports
// the issuer as Ready once the login works and Vault is unsealed. Only the test certificate proves
// that Vault's role signs for the domain.
func NewVaultCA(
	ctx *pulumi.Context, name string, args *VaultCAArgs, opts ...pulumi.ResourceOption,
) (*CA, error) {
	a := &CA{Signer: Signer{Issuer: vaultIssuer},
		CASecret: certManagerNamespace + "/" + issuerCheck}
	if err := ctx.RegisterComponentResource(tokenOf("certmanager", "VaultCA"), name, a,
		opts...); err != nil {
		return nil, err
	}
	unsetOutputs(a)
	credentials, auth, err := vaultLogin(ctx, name, args, a)
	if err != nil {
		return nil, fmt.Errorf("vault CA: login: %w", err)
	}
	registered, err := newCustomResource(ctx, args.Cluster, name+"-issuer", customResource{
		apiVersion: "cert-manager.io/v1", kind: "ClusterIssuer", name: vaultIssuer,
		wait: judgedWait(args.Timeouts),
		spec: object{"vault": vaultIssuerSpec(args, auth)},
	}, childOf(a, credentials...)...)
	if err != nil {
		return nil, fmt.Errorf("vault CA: issuer: %w", err)
	}
	login := loginDigest(args.Config)
	answers, err := args.Cluster.gate(ctx, name+"-gate", gateArgs{Spec: health.Spec{
		Layer: "cert-manager", Timeout: args.Timeouts.Certificate,
		TimeoutKey: "strata:timeouts.certificate",
		Body:       issuer.Spec{Name: vaultIssuer},
	}, Revision: login}, childOf(a, registered)...)
	if err != nil {
		return nil, fmt.Errorf("vault CA: gate: %w", err)
	}
	proof, err := NewCertificate(ctx, name+"-check", &CertificateArgs{
		Namespace: certManagerNamespace, Secret: issuerCheck,
		DNSNames: []string{"issuer-check." + args.Domain}, Nonce: login,
		Signer:  Signer{Issuer: vaultIssuer, Revision: login},
		Cluster: args.Cluster, Timeouts: args.Timeouts, Layer: "cert-manager",
		After: []pulumi.Resource{answers},
	}, pulumi.Parent(a))
	if err != nil {
		return nil, err
	}
	a.Ready = proof.Ready
	a.Certificate, err = args.Cluster.read(ctx, name+"-certificate", kuberead.FieldInput{
		Resource: "secrets", Namespace: certManagerNamespace, Name: issuerCheck,
		Path: `{.data.ca\.crt}`, Base64: true,
		Revision: args.Config.Address + args.Config.Path, Timeout: args.Timeouts.Certificate,
	}, childOf(a, a.Ready)...)
	if err != nil {
		return nil, fmt.Errorf("vault CA: certificate: %w", err)
	}
	return a, registerOutputs(ctx, a)
}

func vaultIssuerSpec(args *VaultCAArgs, auth object) object {
	cfg := args.Config
	spec := object{"auth": auth}
	if cfg.Address == "" {
		spec["server"] = fmt.Sprintf("https://%s:%d", vaultService, vaultPort)
		spec["path"] = vault.SignPath(vaultRole)
		spec["caBundleSecretRef"] = object{"name": caSecret, "key": "ca.crt"}
		return spec
	}
	spec["server"], spec["path"] = cfg.Address, pulumi.String(cfg.Path)
	if cfg.CACertificate != "" {
		spec["caBundle"] =
			base64.StdEncoding.EncodeToString([]byte(cfg.CACertificate))
	}
	if cfg.Namespace != "" {
		spec["namespace"] = cfg.Namespace
	}
	return spec
}

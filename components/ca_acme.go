package components

import (
	"encoding/base64"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/cluster/reissue"
	"strata/config"
	"strata/health"
	"strata/health/issuer"
)

// ACMECAArgs configures NewACMECA.
type ACMECAArgs struct {
	Layer
	// Config is strata:certManager.acme, validated.
	Config config.ACMEIssuer
}

const (
	acmeIssuer = "strata-acme"
	// acmeAccount is the Secret with the account's key. cert-manager creates it.
	acmeAccount = "strata-acme-account"
	acmeEAB     = "strata-acme-eab"
	acmeRoot    = "strata-acme-root"
)

// NewACMECA registers the cluster issuer for an ACME server, and the Secrets that it refers to.
// CA.Ready passes once the server has accepted the account. Unlike NewVaultCA, it requests no test
// certificate, which would need a DNS name of its own and count against the server's rate limits.
func NewACMECA(
	ctx *pulumi.Context, name string, args *ACMECAArgs, opts ...pulumi.ResourceOption,
) (*CA, error) {
	a := &CA{Signer: Signer{Issuer: acmeIssuer, Revision: pulumi.String(args.Config.Server)},
		Public: args.Config.Root == ""}
	if err := ctx.RegisterComponentResource(tokenOf("certmanager", "ACMECA"), name, a,
		opts...); err != nil {
		return nil, err
	}
	unsetOutputs(a)
	needs, err := acmeSecrets(ctx, name, args, a)
	if err != nil {
		return nil, fmt.Errorf("ACME CA: %w", err)
	}
	if !a.Public {
		root, err := newSecret(ctx, args.Cluster, name+"-root", secretArgs{
			name: acmeRoot, namespace: certManagerNamespace,
			data: object{"ca.crt": args.Config.Root},
		}, childOf(a, args.After...)...)
		if err != nil {
			return nil, fmt.Errorf("ACME CA: root: %w", err)
		}
		needs = append(needs, root)
		a.CASecret = certManagerNamespace + "/" + acmeRoot
		a.Trust = a.CASecret
		a.Certificate = pulumi.String(args.Config.Root).ToStringOutput()
	}
	registered, err := newCustomResource(ctx, args.Cluster, name+"-issuer", customResource{
		apiVersion: "cert-manager.io/v1", kind: "ClusterIssuer", name: acmeIssuer,
		wait: judgedWait(args.Timeouts),
		spec: object{"acme": acmeIssuerSpec(args.Config)},
	}, childOf(a, with(args.After, needs...)...)...)
	if err != nil {
		return nil, fmt.Errorf("ACME CA: issuer: %w", err)
	}
	account, err := args.Cluster.gate(ctx, name+"-gate", gateArgs{Spec: health.Spec{
		Layer: "cert-manager", Timeout: args.Timeouts.Certificate,
		TimeoutKey: "strata:timeouts.certificate",
		Body:       issuer.Spec{Name: acmeIssuer},
	}, Revision: accountDigest(args.Config)}, childOf(a, registered)...)
	if err != nil {
		return nil, fmt.Errorf("ACME CA: gate: %w", err)
	}
	a.Ready, err = args.Cluster.reissue(ctx, name+"-reissue", reissue.Input{
		Issuer: acmeIssuer, Signer: args.Config.Server, Timeout: args.Timeouts.Certificate,
	}, childOf(a, account)...)
	if err != nil {
		return nil, fmt.Errorf("ACME CA: reissue: %w", err)
	}
	return a, registerOutputs(ctx, a)
}

// acmeSecrets registers and returns the Secrets that the issuer and its solver refer to. Keys with
// the same Secret name share one Secret.
func acmeSecrets(
	ctx *pulumi.Context, name string, args *ACMECAArgs, parent pulumi.Resource,
) ([]pulumi.Resource, error) {
	data, names := map[string]object{}, []string{}
	put := func(secret, key, value string) {
		if data[secret] == nil {
			data[secret] = object{}
			names = append(names, secret)
		}
		data[secret][key] = pulumi.ToSecret(pulumi.String(value))
	}
	if external := args.Config.ExternalAccount.TrimPadding(); external.Key != "" {
		put(acmeEAB, "key", external.Key)
	}
	for _, one := range args.Config.Secrets {
		put(one.Name, one.Key, one.Value)
	}
	var made []pulumi.Resource
	for _, secret := range names {
		one, err := newSecret(ctx, args.Cluster, name+"-secret-"+secret, secretArgs{
			name: secret, namespace: certManagerNamespace, data: data[secret],
		}, childOf(parent, args.After...)...)
		if err != nil {
			return nil, fmt.Errorf("secret %s: %w", secret, err)
		}
		made = append(made, one)
	}
	return made, nil
}

func acmeIssuerSpec(cfg config.ACMEIssuer) object {
	spec := object{
		"server":              cfg.Server,
		"privateKeySecretRef": object{"name": acmeAccount},
		"solvers":             array{acmeSolver(cfg)},
	}
	if cfg.Email != "" {
		spec["email"] = cfg.Email
	}
	if cfg.CACertificate != "" {
		spec["caBundle"] =
			base64.StdEncoding.EncodeToString([]byte(cfg.CACertificate))
	}
	if external := cfg.ExternalAccount; external.KeyID != "" {
		spec["externalAccountBinding"] = object{
			"keyID":        external.KeyID,
			"keySecretRef": object{"name": acmeEAB, "key": "key"},
		}
	}
	return spec
}

// acmeSolver returns the solver that proves control of the names. HTTP-01 uses an Ingress, because
// an HTTPRoute would be a cycle: the route needs the Gateway, which needs the certificate
// (docs/adr/0047). Traefik sends requests directly to the solver's Pod, so the solver's Service is
// of type ClusterIP and not NodePort.
func acmeSolver(cfg config.ACMEIssuer) object {
	if cfg.Solver == config.SolverDNS01 {
		// Any string of the solver may be encrypted in the stack file. Pulumi does not tell which
		// strings are, so all strings are marked as secret.
		secret := &merging{own: config.Values{Secret: true}}
		return object{"dns01": secret.object("", object{}, cfg.DNS01)}
	}
	return object{"http01": object{"ingress": object{
		"ingressClassName": traefikName,
		"serviceType":      "ClusterIP",
		"ingressTemplate": object{"metadata": object{"annotations": object{
			"traefik.ingress.kubernetes.io/router.entrypoints": "web",
		}}},
	}}}
}

// accountDigest returns a digest of the settings that decide whether the server accepts the
// account. It is the gate's revision, so the gate runs again when one of the settings changes. The
// digest is secret if a key is part of it.
func accountDigest(cfg config.ACMEIssuer) pulumi.StringInput {
	digest := pulumi.String(digestOf(cfg.Server, cfg.Email, cfg.CACertificate,
		cfg.ExternalAccount.TrimPadding()))
	if cfg.ExternalAccount.Key != "" {
		return pulumi.ToSecret(digest).(pulumi.StringOutput)
	}
	return digest
}

package components

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"

	"strata/actions/cluster/kuberead"
	"strata/actions/cluster/reissue"
	"strata/config"
	"strata/health"
	"strata/health/certificate"
	"strata/health/issuer"
	"strata/health/waitfor"
	"strata/internal/pulumi/rerun"
)

// CAArgs configures CA.
type CAArgs struct {
	Layer
	// Config is the section strata:certManager, validated.
	Config config.CertManager
}

// Signer identifies the CA that signs a certificate.
type Signer struct {
	// Issuer is the cluster issuer's name.
	Issuer string
	// Trust is the Secret, as namespace/name, with the certificate of the signing CA; empty if no
	// Secret in the cluster has it.
	Trust string
	// Revision changes when all certificates are reissued, so that the gates of certificates run
	// again. Optional.
	Revision pulumi.StringInput
}

// CA owns the stack's certificate authority: a self-signed root, and the cluster issuer that signs
// with it. It needs nothing outside the cluster, so it works offline.
type CA struct {
	pulumi.ResourceState
	Signer
	// CASecret is the Secret with the root's certificate (key ca.crt), as namespace/name; empty for
	// a public CA.
	CASecret string
	// Public is true if the certificates chain up to a public CA that clients trust already. Then
	// Certificate is not set.
	Public bool
	// Certificate is the root's certificate, in PEM. A client that trusts it trusts all
	// certificates that this CA signs.
	Certificate pulumi.StringOutput `pulumi:"certificate"`
	// Ready passes once the issuer signs and the reissue of certificates from an earlier CA or
	// server has been requested. With ACME it passes once the server has accepted the account.
	Ready pulumi.Resource
}

const (
	rootIssuer = "strata-root"
	caIssuer   = "strata"
	caSecret   = "strata-ca"
	// rootLifetime is ten years. cert-manager renews the root rootRenewal, two years, before it
	// expires. This leaves time to distribute the new root to all clients.
	rootLifetime, rootRenewal = "87600h", "17520h"
)

// NewCA registers the root, the issuer that signs with it, and the command that reissues all
// certificates one after the other when the root changes. The state records the root's certificate.
// The issuer's gate fails if the cluster's root differs from the recorded one, unless AcceptedCA
// allows the difference.
func NewCA(
	ctx *pulumi.Context, name string, args *CAArgs, opts ...pulumi.ResourceOption,
) (*CA, error) {
	secret := certManagerNamespace + "/" + caSecret
	// The root's certificate is not known yet, so the revision has the settings that change which
	// root is created or accepted.
	revision := strings.TrimSpace(args.Config.CommonName + " " + args.Config.AcceptedCA)
	a := &CA{Signer: Signer{Issuer: caIssuer, Trust: secret, Revision: pulumi.String(revision)},
		CASecret: secret}
	if err := ctx.RegisterComponentResource(tokenOf("certmanager", "CA"), name, a,
		opts...); err != nil {
		return nil, err
	}
	unsetOutputs(a)
	root, err := a.root(ctx, name+"-root", args)
	if err != nil {
		return nil, fmt.Errorf("CA: root: %w", err)
	}
	a.Certificate, err = args.Cluster.read(ctx, name+"-certificate", kuberead.FieldInput{
		Resource: "secrets", Namespace: certManagerNamespace, Name: caSecret,
		Path: `{.data.ca\.crt}`, Base64: true,
		Revision: revision, Timeout: args.Timeouts.Certificate,
	}, childOf(a, root)...)
	if err != nil {
		return nil, fmt.Errorf("CA: certificate: %w", err)
	}
	issuer, err := newCustomResource(ctx, args.Cluster, name+"-issuer", customResource{
		apiVersion: "cert-manager.io/v1", kind: "ClusterIssuer", name: caIssuer,
		wait: readyWait(args.Timeouts),
		spec: object{"ca": object{"secretName": caSecret}},
	}, childOf(a, root)...)
	if err != nil {
		return nil, fmt.Errorf("CA: issuer: %w", err)
	}
	gate, err := a.gate(ctx, name+"-gate", args, issuer)
	if err != nil {
		return nil, fmt.Errorf("CA: gate: %w", err)
	}
	a.Ready, err = args.Cluster.reissue(ctx, name+"-reissue", reissue.Input{
		Issuer: caIssuer, Signer: revision, Timeout: args.Timeouts.Certificate,
	}, childOf(a, gate)...)
	if err != nil {
		return nil, fmt.Errorf("CA: reissue: %w", err)
	}
	return a, registerOutputs(ctx, a)
}

// root registers the self-signing issuer, the root Certificate and its gate, and returns the gate.
// The gate checks the certificate itself, because cert-manager reports Ready for the previous
// certificate for a moment after a change.
func (a *CA) root(ctx *pulumi.Context, name string, args *CAArgs) (pulumi.Resource, error) {
	issuer, err := newCustomResource(ctx, args.Cluster, name+"-issuer", customResource{
		apiVersion: "cert-manager.io/v1", kind: "ClusterIssuer", name: rootIssuer,
		wait: readyWait(args.Timeouts),
		spec: object{"selfSigned": object{}},
	}, childOf(a, args.After...)...)
	if err != nil {
		return nil, fmt.Errorf("issuer: %w", err)
	}
	root, err := newCustomResource(ctx, args.Cluster, name, customResource{
		apiVersion: "cert-manager.io/v1", kind: "Certificate", name: caSecret,
		namespace: certManagerNamespace, wait: judgedWait(args.Timeouts),
		spec: rootCertificate(args.Config),
	}, childOf(a, issuer)...)
	if err != nil {
		return nil, err
	}
	return args.Cluster.gate(ctx, name+"-gate", gateArgs{Spec: health.Spec{
		Layer: "cert-manager", Timeout: args.Timeouts.Certificate,
		TimeoutKey: "strata:timeouts.certificate",
		Body: certificate.Spec{Namespace: certManagerNamespace, Name: caSecret,
			Secret: caSecret},
	}, Revision: pulumi.String(args.Config.CommonName)}, childOf(a, root)...)
}

// gate registers the gate of the issuer and its CA. The gate's input is unknown in a preview that
// will read the certificate again. rerun.Attempt makes such a preview show an update instead of a
// replacement.
func (a *CA) gate(
	ctx *pulumi.Context, name string, args *CAArgs, issuer pulumi.Resource,
) (pulumi.Resource, error) {
	opts := childOf(a, issuer)
	attempt, err := rerun.Attempt(ctx, name, pulumi.StringMap{"revision": a.Revision}, opts...)
	if err != nil {
		return nil, err
	}
	return args.Cluster.gate(ctx, name, gateArgs{
		Spec: health.Spec{
			Layer: "cert-manager", Timeout: args.Timeouts.Certificate,
			TimeoutKey: "strata:timeouts.certificate",
			Body:       a.issuerGate(args, ""),
		},
		Body: pulumix.Apply(a.Certificate, func(certificate string) health.Body {
			return a.issuerGate(args, certificate)
		}),
		Attempt: attempt,
	}, opts...)
}

// issuerGate returns the issuer gate's body. certificate is the CA's expected certificate, in PEM.
func (a *CA) issuerGate(args *CAArgs, certificate string) issuer.Spec {
	return issuer.Spec{Name: caIssuer, CA: &issuer.CA{
		Secret: a.CASecret, Certificate: certificate, Accepted: args.Config.AcceptedCA,
	}}
}

// rootCertificate returns the spec of the root Certificate, with an ECDSA P-256 key.
func rootCertificate(cfg config.CertManager) object {
	spec := object{
		"isCA":        true,
		"commonName":  cfg.CommonName,
		"secretName":  caSecret,
		"duration":    rootLifetime + "0m0s",
		"renewBefore": rootRenewal + "0m0s",
		"privateKey":  object{"algorithm": "ECDSA", "size": 256},
		"issuerRef":   issuerRef(rootIssuer),
	}
	if len(cfg.NameConstraints) > 0 {
		// The Vault names are permitted because this CA also signs the certificate of the stack's
		// own Vault. IP addresses are excluded because constraints on domains do not restrict them.
		permitted := append(slices.Clone(cfg.NameConstraints), vaultService, vaultInternal)
		spec["nameConstraints"] = object{
			"critical":  true,
			"permitted": object{"dnsDomains": permitted},
			"excluded":  object{"ipRanges": []string{"0.0.0.0/0", "::/0"}},
		}
	}
	return spec
}

func issuerRef(name string) object {
	return object{"name": name, "kind": "ClusterIssuer", "group": "cert-manager.io"}
}

// judgedWait returns annotations that make Pulumi wait until cert-manager has written a status to
// an Issuer or a Certificate. Use it for objects whose gate follows: a wait for Ready would fail
// with "timed out" before the gate could report the reason.
func judgedWait(timeouts config.Timeouts) pulumi.StringMap {
	return pulumi.ToStringMap(waitfor.Exists("{.status.conditions}").Annotations(
		timeouts.Certificate.Duration))
}

// readyWait returns annotations that make Pulumi wait until cert-manager reports an Issuer or a
// Certificate as Ready.
func readyWait(timeouts config.Timeouts) pulumi.StringMap {
	return pulumi.ToStringMap(waitfor.Condition("Ready").Annotations(timeouts.Certificate.Duration))
}

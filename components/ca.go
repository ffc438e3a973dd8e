package components

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
	"strata/health"
	"strata/health/waitfor"
	"strata/internal/kuberead"
)

// CAArgs configures CA.
type CAArgs struct {
	// Config is the section strata:certManager, validated.
	Config config.CertManager
	// Cluster is where cert-manager runs. Required.
	Cluster *Cluster
	// Timeouts bound the gates.
	Timeouts config.Timeouts
	// After are the gates that the first object waits for.
	After []pulumi.Resource
}

// Signer is what a certificate needs to know of its CA.
type Signer struct {
	// Issuer is the cluster issuer's name.
	Issuer string
	// Trust is namespace/name of the Secret with the CA where the issuer puts no ca.crt beside what it signs; empty where it does, and for a
	// public CA.
	Trust string
	// Revision is another one when what has been issued is issued anew: the certificate's gate asks again then. Optional.
	Revision pulumi.StringInput
}

// CA owns the stack's certificate authority: a root that signs itself, and the cluster issuer that signs with it. It needs
// nothing outside the cluster, so it works offline.
type CA struct {
	pulumi.ResourceState
	Signer
	// CASecret is the Secret with the root's certificate (key ca.crt), as namespace/name; empty for a public CA.
	CASecret string
	// Public is true where certificates lead to a CA that every client knows. There is then no Certificate.
	Public bool
	// Certificate is the root's, in PEM: who trusts it trusts every certificate of the stack.
	Certificate pulumi.StringOutput
	// Ready holds once the issuer signs; with ACME, once the server has taken the account, and what another one issued is about to be replaced.
	Ready pulumi.Resource
}

const (
	rootIssuer = "strata-root"
	caIssuer   = "strata"
	caSecret   = "strata-ca"
	// rootLifetime is ten years and rootRenewal two years before its end: who trusts the root must be told of a new one.
	rootLifetime, rootRenewal = "87600h", "17520h"
)

// NewCA registers the issuer that signs the root, the root, and the issuer that signs with it, each behind the one before.
func NewCA(ctx *pulumi.Context, name string, args *CAArgs, opts ...pulumi.ResourceOption) (*CA, error) {
	a := &CA{Signer: Signer{Issuer: caIssuer}, CASecret: certManagerNamespace + "/" + caSecret}
	if err := ctx.RegisterComponentResource("strata:certmanager:Authority", name, a, opts...); err != nil {
		return nil, err
	}
	wait := readyWait(args.Timeouts)
	steps := []struct {
		name   string
		object customResource
	}{
		{name + "-root-issuer", customResource{
			apiVersion: "cert-manager.io/v1", kind: "ClusterIssuer", name: rootIssuer, wait: wait,
			spec: pulumi.Map{"selfSigned": pulumi.Map{}},
		}},
		{name + "-root", customResource{
			apiVersion: "cert-manager.io/v1", kind: "Certificate", name: caSecret, namespace: certManagerNamespace, wait: wait,
			spec: rootCertificate(args.Config.CommonName),
		}},
		{name + "-issuer", customResource{
			apiVersion: "cert-manager.io/v1", kind: "ClusterIssuer", name: caIssuer, wait: wait,
			spec: pulumi.Map{"ca": pulumi.Map{"secretName": pulumi.String(caSecret)}},
		}},
	}
	needs := with(args.After)
	for _, step := range steps {
		made, err := newCustomResource(ctx, args.Cluster, step.name, step.object, childOf(a, needs...)...)
		if err != nil {
			return nil, fmt.Errorf("CA: %s: %w", step.name, err)
		}
		needs = []pulumi.Resource{made}
	}
	var err error
	a.Ready, err = args.Cluster.gate(ctx, name+"-gate", health.GateArgs{Spec: health.Spec{
		Kind: health.KindIssuer, Layer: "cert-manager", Timeout: args.Timeouts.Certificate, TimeoutKey: "strata:timeouts.certificate",
		Issuer: &health.IssuerSpec{Name: caIssuer},
	}}, childOf(a, needs...)...)
	if err != nil {
		return nil, fmt.Errorf("CA: gate: %w", err)
	}
	a.Certificate, err = args.Cluster.read(ctx, name+"-certificate", kuberead.FieldInput{
		Resource: "secrets", Namespace: certManagerNamespace, Name: caSecret, Path: `{.data.ca\.crt}`, Base64: true,
		Revision: args.Config.CommonName, Timeout: args.Timeouts.Certificate,
	}, childOf(a, a.Ready)...)
	if err != nil {
		return nil, fmt.Errorf("CA: certificate: %w", err)
	}
	return a, ctx.RegisterResourceOutputs(a, pulumi.Map{})
}

// rootCertificate is the root's: an elliptic key, as small as it is strong, and a lifetime that outlives the platform.
func rootCertificate(commonName string) pulumi.Map {
	return pulumi.Map{
		"isCA":        pulumi.Bool(true),
		"commonName":  pulumi.String(commonName),
		"secretName":  pulumi.String(caSecret),
		"duration":    pulumi.String(rootLifetime + "0m0s"),
		"renewBefore": pulumi.String(rootRenewal + "0m0s"),
		"privateKey":  pulumi.Map{"algorithm": pulumi.String("ECDSA"), "size": pulumi.Int(256)},
		"issuerRef":   issuerRef(rootIssuer),
	}
}

func issuerRef(name string) pulumi.Map {
	return pulumi.Map{"name": pulumi.String(name), "kind": pulumi.String("ClusterIssuer"), "group": pulumi.String("cert-manager.io")}
}

// judgedWait holds an issuer or a certificate until it has a status of cert-manager. It is for those with a gate right behind
// them: a wait for Ready would end at its limit with "timed out", before the gate could say why.
func judgedWait(timeouts config.Timeouts) pulumi.StringMap {
	return pulumi.ToStringMap(waitfor.Exists("{.status.conditions}").Annotations(timeouts.Certificate.Duration))
}

// readyWait holds an issuer or a certificate until cert-manager says Ready.
func readyWait(timeouts config.Timeouts) pulumi.StringMap {
	return pulumi.ToStringMap(waitfor.Condition("Ready").Annotations(timeouts.Certificate.Duration))
}

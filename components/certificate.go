package components

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/config"
	"strata/health"
	"strata/health/certificate"
)

// CertificateArgs configures Certificate.
type CertificateArgs struct {
	// Namespace and Secret name the Secret for the key and the chain; the Certificate has the
	// Secret's name. Required.
	Namespace, Secret string
	// DNSNames are the names for which the certificate is valid; a wildcard covers one label.
	// Required.
	DNSNames []string
	// Signer is the CA's Signer. Its Issuer is required.
	Signer
	// Nonce makes cert-manager issue the certificate anew when it changes. It becomes an
	// organizational unit of the request, which issuers may leave out. Optional.
	Nonce pulumi.StringInput
	// Leaf omits both wait and gate: nothing depends on the certificate, and it converges by
	// itself.
	Leaf bool
	// Lifetime is a Go duration; empty is cert-manager's default, 90 days.
	Lifetime string
	// Cluster is the cluster of the Certificate. Required.
	Cluster *Cluster
	// Timeouts bound the wait.
	Timeouts config.Timeouts
	// Layer is the layer's name in the gate's messages.
	Layer string
	// After are the gates that the request waits for: the issuer's, and the namespace's owner.
	After []pulumi.Resource
}

// Certificate owns one certificate that cert-manager keeps valid.
type Certificate struct {
	pulumi.ResourceState
	// Ready passes once the Secret has a key, a chain and the requested names, and is not about to
	// expire. Nil for a leaf.
	Ready *Gate
}

// NewCertificate registers a certificate and its gate. cert-manager's Ready only means that
// something was issued; the gate checks the certificate itself.
func NewCertificate(
	ctx *pulumi.Context, name string, args *CertificateArgs, opts ...pulumi.ResourceOption,
) (*Certificate, error) {
	c := &Certificate{}
	if err := ctx.RegisterComponentResource(tokenOf("certmanager", "Certificate"), name, c,
		opts...); err != nil {
		return nil, err
	}
	spec := pulumi.Map{
		"secretName": pulumi.String(args.Secret),
		"dnsNames":   pulumi.ToStringArray(args.DNSNames),
		"issuerRef":  issuerRef(args.Issuer),
		"privateKey": pulumi.Map{
			"algorithm": pulumi.String("ECDSA"), "size": pulumi.Int(256),
			"rotationPolicy": pulumi.String("Always"),
		},
	}
	if args.Lifetime != "" {
		spec["duration"] = pulumi.String(args.Lifetime)
	}
	if args.Nonce != nil {
		spec["subject"] = pulumi.Map{"organizationalUnits": pulumi.StringArray{args.Nonce}}
	}
	request := customResource{
		apiVersion: "cert-manager.io/v1", kind: "Certificate", name: args.Secret,
		namespace: args.Namespace, spec: spec,
		// Only cert-manager removes the finalizer of a Challenge. A Challenge that outlives
		// cert-manager keeps its namespace from ending.
		foreground: args.Issuer == acmeIssuer,
	}
	if !args.Leaf {
		request.wait = judgedWait(args.Timeouts)
	}
	object, err := newCustomResource(ctx, args.Cluster, name+"-request", request,
		childOf(c, args.After...)...)
	if err != nil {
		return nil, fmt.Errorf("certificate %s: %w", args.Secret, err)
	}
	if args.Leaf {
		return c, registerOutputs(ctx, c)
	}
	c.Ready, err = args.Cluster.gate(ctx, name+"-gate", gateArgs{Spec: health.Spec{
		Layer: args.Layer, Timeout: args.Timeouts.Certificate,
		TimeoutKey: "strata:timeouts.certificate",
		Body: certificate.Spec{
			Namespace: args.Namespace, Name: args.Secret, Secret: args.Secret,
			DNSNames:     args.DNSNames,
			MinRemaining: metav1.Duration{Duration: certificateMinRemaining}, CASecret: args.Trust,
		},
	}, Revision: args.Revision}, childOf(c, object)...)
	if err != nil {
		return nil, fmt.Errorf("certificate %s: gate: %w", args.Secret, err)
	}
	return c, registerOutputs(ctx, c)
}

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
	// Namespace and Secret name the Secret into which cert-manager writes the key and the chain.
	// The Certificate has the same name. Required.
	Namespace, Secret string
	// DNSNames are the names for which the certificate is valid; a wildcard covers one label.
	// Required.
	DNSNames []string
	// Signer identifies the CA. Its Issuer is required.
	Signer
	// Nonce makes cert-manager reissue the certificate when it changes. It is the subject's
	// organizational unit, which the issuer may drop from the certificate. Optional.
	Nonce pulumi.StringInput
	// Leaf is true if no resource depends on the certificate. Then there is neither a wait nor a
	// gate, and Ready is nil.
	Leaf bool
	// Lifetime is a Go duration; empty is cert-manager's default, 90 days.
	Lifetime string
	// Cluster is the cluster of the Certificate. Required.
	Cluster *Cluster
	// Timeouts.Certificate bounds both Pulumi's wait for the Certificate's status and the gate.
	Timeouts config.Timeouts
	// Layer is the layer's name in the gate's messages.
	Layer string
	// After are the gates and resources that must be ready before the Certificate is created: the
	// issuer's gate and the namespace.
	After []pulumi.Resource
}

// Certificate owns one certificate that cert-manager keeps valid.
type Certificate struct {
	pulumi.ResourceState
	// Ready passes once the Secret has a key and a chain for the requested names that does not
	// expire soon. Nil for a leaf.
	Ready *Gate
}

// NewCertificate registers a certificate and its gate. cert-manager's Ready condition only means
// that a certificate was issued, so the gate checks the certificate itself.
func NewCertificate(
	ctx *pulumi.Context, name string, args *CertificateArgs, opts ...pulumi.ResourceOption,
) (*Certificate, error) {
	c := &Certificate{}
	if err := ctx.RegisterComponentResource(tokenOf("certmanager", "Certificate"), name, c,
		opts...); err != nil {
		return nil, err
	}
	spec := object{
		"secretName": args.Secret,
		"dnsNames":   args.DNSNames,
		"issuerRef":  issuerRef(args.Issuer),
		"privateKey": object{"algorithm": "ECDSA", "size": 256, "rotationPolicy": "Always"},
	}
	if args.Lifetime != "" {
		spec["duration"] = args.Lifetime
	}
	if args.Nonce != nil {
		spec["subject"] = object{"organizationalUnits": pulumi.StringArray{args.Nonce}}
	}
	request := customResource{
		apiVersion: "cert-manager.io/v1", kind: "Certificate", name: args.Secret,
		namespace: args.Namespace, spec: spec,
		// The foreground delete waits until cert-manager has removed the finalizers of the
		// Challenges. A Challenge that outlives cert-manager would leave its namespace in
		// Terminating.
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

package components

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"k8s.io/apimachinery/pkg/util/version"

	"strata/config"
	"strata/health"
	"strata/health/webhook"
)

// CertManagerArgs configures CertManager.
type CertManagerArgs struct {
	Layer
	// Config is the section strata:certManager, validated.
	Config config.CertManager
	// Values are the chart's values, if another resource computes them. Config.Values must then be
	// empty. Optional.
	Values pulumi.MapInput
	// KeepCRDs leaves the chart's CRDs in the cluster when the release is deleted.
	KeepCRDs bool
}

// CertManager owns cert-manager: its namespace and release, which brings its CRDs.
type CertManager struct {
	pulumi.ResourceState
	// API passes once every API server applies cert-manager's mutating and validating webhooks.
	API *Gate
	// BoundTokens is true if cert-manager itself requests tokens for ServiceAccounts, as it does
	// since 1.12 (serviceAccountRef).
	BoundTokens bool
}

// certManagerNamespace is cert-manager's namespace. It also has the Secrets of cluster issuers
// (cert-manager's cluster resource namespace).
const certManagerNamespace = "cert-manager"

// NewCertManager registers cert-manager. Its gate checks the webhooks themselves, as cmctl check
// api does. Available Deployments do not suffice: until the CA injector has written the CA into the
// webhooks' configuration, every request fails with an x509 error.
func NewCertManager(
	ctx *pulumi.Context, name string, args *CertManagerArgs, opts ...pulumi.ResourceOption,
) (*CertManager, error) {
	c := &CertManager{}
	l := layer{
		Layer: args.Layer, ctx: ctx, parent: c, name: name, title: "cert-manager",
		space:  certManagerNamespace,
		policy: layerPolicy{pods: instanceLabel("cert-manager"), open: []int{9402, 10250}},
		limit:  args.Timeouts.CertManagerWebhook, limitKey: "strata:timeouts.certManagerWebhook",
	}
	return c, l.register(tokenOf("certmanager", "CertManager"), opts, func() error {
		own := l.userValues(config.ArtifactCertManagerChart, args.Config.Values, args.Values)
		if err := l.newNamespace(own, nil, args.After...); err != nil {
			return err
		}
		release, err := l.newRelease(releaseArgs{
			name: "cert-manager", artifact: config.ArtifactCertManagerChart,
			values: certManagerValues(args.Config, args.KeepCRDs), own: own,
		}, l.namespace)
		if err != nil {
			return err
		}
		if c.BoundTokens, err = boundTokens(release.chart.Version); err != nil {
			return fmt.Errorf("chart: %w", err)
		}
		spec := certManagerAPI()
		spec.Releases = []string{release.id}
		c.API, err = l.gate("api", gateArgs{Spec: spec,
			Revision: release.revision(args.Config.Replicas)}, release.object)
		return err
	})
}

// boundTokens reports whether a version of cert-manager supports serviceAccountRef, which came with
// 1.12 (its release notes).
func boundTokens(release string) (bool, error) {
	parsed, err := version.ParseGeneric(release)
	if err != nil {
		return false, fmt.Errorf("version %q: %w", release, err)
	}
	return parsed.AtLeast(version.MustParseGeneric("1.12.0")), nil
}

// certManagerValues returns the chart's values. They disable the chart's startupapicheck, because
// the gate makes this check and reports the reason of a failure.
func certManagerValues(cfg config.CertManager, keepCRDs bool) object {
	replicas := cfg.Replicas
	budget := object{"enabled": cfg.Replicas > 1}
	return object{
		"crds":                object{"enabled": true, "keep": keepCRDs},
		"replicaCount":        replicas,
		"podDisruptionBudget": budget,
		"webhook": object{"replicaCount": replicas, "podDisruptionBudget": budget,
			"livenessProbe": patientLiveness()},
		"cainjector":      object{"replicaCount": replicas},
		"startupapicheck": object{"enabled": false},
	}
}

// certManagerAPI returns the Spec of the webhooks' gate, with the checks of cert-manager's
// pkg/util/cmapichecker. For a dry run of a valid CertificateRequest, the mutating webhook must
// fill in spec.username. The validating webhook must deny an invalid CertificateRequest.
func certManagerAPI() health.Spec {
	return health.Spec{
		Body: webhook.Spec{
			Configuration: "cert-manager-webhook", Mutates: "cert-manager-webhook",
			Namespace: certManagerNamespace, Service: "cert-manager-webhook", Port: 443,
			CASecret:    "cert-manager-webhook-ca",
			Accept:      certificateRequest(signingRequest),
			AcceptFills: []string{"spec.username"},
			Deny:        certificateRequest("bm90IGEgcmVxdWVzdA=="), // "not a request"
			DenyMatch:   "webhook.cert-manager.io",
			Workloads: []string{
				certManagerNamespace + "/Deployment/cert-manager",
				certManagerNamespace + "/Deployment/cert-manager-webhook",
				certManagerNamespace + "/Deployment/cert-manager-cainjector",
			},
		},
	}
}

// certificateRequest returns a CertificateRequest for dry runs. Its issuer does not exist. csr is
// the signing request in PEM, in base64.
func certificateRequest(csr string) map[string]any {
	return map[string]any{
		"apiVersion": "cert-manager.io/v1",
		"kind":       "CertificateRequest",
		"metadata":   map[string]any{"name": "strata-gate", "namespace": certManagerNamespace},
		"spec": map[string]any{
			"request": csr,
			"issuerRef": map[string]any{"name": "strata-gate", "kind": "ClusterIssuer",
				"group": "cert-manager.io"},
		},
	}
}

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
	// Values are the chart's, in place of Config.Values, if another resource knows them.
	Values pulumi.MapInput
	// KeepCRDs leaves the chart's CRDs in the cluster when the release is deleted.
	KeepCRDs bool
}

// CertManager owns cert-manager: its namespace and release, which brings its CRDs.
type CertManager struct {
	pulumi.ResourceState
	// API passes once cert-manager's webhooks change and refuse requests through every API server.
	API *Gate
	// BoundTokens is true if cert-manager itself requests tokens for ServiceAccounts, as it does
	// since 1.12 (serviceAccountRef).
	BoundTokens bool
}

// certManagerNamespace is cert-manager's namespace. It also has the Secrets of cluster issuers
// (cert-manager's cluster resource namespace).
const certManagerNamespace = "cert-manager"

// NewCertManager registers cert-manager. Its gate makes the same two-way check as cert-manager's
// own cmctl. The Deployment is Available before the CA injector has put the CA into the webhooks'
// configuration. Until then every request fails with an x509 error.
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

// boundTokens reports whether a version of cert-manager knows serviceAccountRef (its release notes
// of 1.12).
func boundTokens(release string) (bool, error) {
	parsed, err := version.ParseGeneric(release)
	if err != nil {
		return false, fmt.Errorf("version %q: %w", release, err)
	}
	return parsed.AtLeast(version.MustParseGeneric("1.12.0")), nil
}

// certManagerValues returns the chart's values. They turn the chart's start-up check off: the gate
// replaces it, and reports a reason.
func certManagerValues(cfg config.CertManager, keepCRDs bool) pulumi.Map {
	replicas := pulumi.Int(cfg.Replicas)
	budget := pulumi.Map{"enabled": pulumi.Bool(cfg.Replicas > 1)}
	return pulumi.Map{
		"crds": pulumi.Map{"enabled": pulumi.Bool(true),
			"keep": pulumi.Bool(keepCRDs)},
		"replicaCount":        replicas,
		"podDisruptionBudget": budget,
		"webhook": pulumi.Map{"replicaCount": replicas, "podDisruptionBudget": budget,
			"livenessProbe": patientLiveness()},
		"cainjector":      pulumi.Map{"replicaCount": replicas},
		"startupapicheck": pulumi.Map{"enabled": pulumi.Bool(false)},
	}
}

// certManagerAPI returns the Spec of a gate that asks the questions of cert-manager's cmapichecker
// (cert-manager pkg/util/cmapichecker). A valid request must come back with its author filled in,
// and an invalid one must be denied.
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

// certificateRequest returns a request for dry runs, for an issuer that does not exist.
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

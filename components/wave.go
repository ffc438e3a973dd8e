package components

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
	"strata/health"
	"strata/health/webhook"
)

// WaveArgs configures Wave.
type WaveArgs struct {
	Layer
	// Config is the key strata:apps.wave, validated.
	Config config.Wave
	// Values are the chart's, in place of Config.Values, if another resource knows them.
	Values pulumi.MapInput
	// Certificates is the gate that its certificate waits for: cert-manager's.
	Certificates *Gate
}

// Wave owns the operator that replaces the Pods of annotated workloads when a ConfigMap or Secret
// that they read changes.
type Wave struct {
	pulumi.ResourceState
	// Webhook passes once Wave's webhook changes Deployments through every API server. A Deployment
	// that is created earlier starts without a hash, and restarts once it gets the hash. If its
	// Secret is missing, its Pods are stuck instead of held back.
	Webhook *Gate
}

const (
	waveNamespace = "wave"
	// waveName follows the chart's rule for names: the release and the chart.
	waveName = "wave-wave"
	// waveAnnotation enables Wave for an object. waveHeld is the scheduler of Pods that Wave holds
	// back (wave pkg/core/types.go).
	waveAnnotation, waveHeld = "wave.pusher.com/update-on-config-change", "wave.pusher.com/invalid"
)

// NewWave registers Wave.
func NewWave(
	ctx *pulumi.Context, name string, args *WaveArgs, opts ...pulumi.ResourceOption,
) (*Wave, error) {
	w := &Wave{}
	l := layer{
		Layer: args.Layer, ctx: ctx, parent: w, name: name, title: "apps",
		space: waveNamespace,
		policy: layerPolicy{pods: pulumi.Map{"release": pulumi.String("wave")},
			open: []int{8080, 9443}},
		limit: args.Timeouts.Workload, limitKey: "strata:timeouts.workload",
	}
	return w, l.register(tokenOf("apps", "Wave"), opts, func() error {
		own := l.userValues(config.ArtifactWaveChart, args.Config.Values, args.Values)
		if err := l.newNamespace(own, nil, args.After...); err != nil {
			return err
		}
		// The chart has an Issuer and a Certificate, which cert-manager's webhook must admit.
		release, err := l.newRelease(releaseArgs{
			name: "wave", artifact: config.ArtifactWaveChart, values: waveValues(args.Config),
			own: own,
		}, l.namespace, args.Certificates)
		if err != nil {
			return err
		}
		spec := waveWebhook()
		spec.Releases = []string{release.id}
		w.Webhook, err = l.gate("webhook",
			gateArgs{Spec: spec, Revision: release.revision(args.Config)}, release.object)
		return err
	})
}

// waveValues returns the chart's values.
func waveValues(cfg config.Wave) pulumi.Map {
	return pulumi.Map{
		"replicas": pulumi.Int(cfg.Replicas),
		"pdb":      pulumi.Map{"enabled": pulumi.Bool(cfg.Replicas > 1)},
		"webhooks": pulumi.Map{"enabled": pulumi.Bool(true)},
	}
}

// waveWebhook returns the gate of the webhook, with a Deployment whose ConfigMap does not exist.
// Wave gives the Deployment the scheduler that holds its Pods. An API server that does not ask
// Wave, which the configuration allows (failurePolicy Ignore), leaves the default scheduler.
func waveWebhook() health.Spec {
	labels := map[string]any{"app.kubernetes.io/name": "strata-gate"}
	return health.Spec{
		Body: webhook.Spec{
			Configuration: waveName + "-mutating-webhook-configuration", Mutating: true,
			Namespace: waveNamespace, Service: waveName + "-webhook-service", Port: 443,
			CASecret: waveName + "-webhook-server-cert",
			Accept: map[string]any{
				"apiVersion": "apps/v1", "kind": "Deployment",
				"metadata": map[string]any{
					"generateName": "strata-gate-", "namespace": waveNamespace,
					"annotations": map[string]any{waveAnnotation: "true"},
				},
				"spec": map[string]any{
					"selector": map[string]any{"matchLabels": labels},
					"template": map[string]any{
						"metadata": map[string]any{"labels": labels},
						"spec": map[string]any{"containers": []any{map[string]any{
							"name": "gate", "image": "strata-gate.invalid/none:1",
							"envFrom": []any{
								map[string]any{
									"configMapRef": map[string]any{
										"name": "strata-gate-never-there"}}},
						}}},
					},
				},
			},
			AcceptFills: []string{"spec.template.spec.schedulerName=" + waveHeld},
			Workloads:   []string{waveNamespace + "/Deployment/" + waveName},
		},
	}
}

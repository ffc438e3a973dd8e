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
	// Values are the chart's values, if another resource computes them. Config.Values must then be
	// empty. Optional.
	Values pulumi.MapInput
	// Certificates is cert-manager's gate, which the release waits for. Nil without
	// Config.Webhooks.
	Certificates *Gate
}

// Wave owns the operator Wave, which rolls out annotated workloads when a ConfigMap or Secret that
// they use changes.
type Wave struct {
	pulumi.ResourceState
	// Ready passes once every API server applies Wave's mutating webhook to Deployments. A
	// Deployment that is created before Ready passes is rolled out a second time, when Wave adds
	// the hash. If a Secret of such a Deployment is missing, its Pods are scheduled and fail
	// instead of waiting unscheduled for the Secret. Without Config.Webhooks, Ready passes once
	// Wave's Pods are rolled out.
	Ready *Gate
}

const (
	waveNamespace = "wave"
	// waveName is the name of the chart's objects: the release's name and the chart's name.
	waveName     = "wave-wave"
	waveWorkload = waveNamespace + "/Deployment/" + waveName
	// waveAnnotation enables Wave for a workload. waveHeld is the scheduler name that Wave sets to
	// keep Pods unscheduled (wave pkg/core/types.go).
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
		policy: layerPolicy{pods: object{"release": "wave"},
			open: []int{8080, 9443}},
		limit: args.Timeouts.Workload, limitKey: "strata:timeouts.workload",
	}
	return w, l.register(tokenOf("apps", "Wave"), opts, func() error {
		own := l.userValues(config.ArtifactWaveChart, args.Config.Values, args.Values)
		if err := l.newNamespace(own, nil, args.After...); err != nil {
			return err
		}
		needs := []pulumi.Resource{l.namespace}
		if *args.Config.Webhooks { // the chart then has an Issuer and a Certificate
			needs = append(needs, args.Certificates)
		}
		release, err := l.newRelease(releaseArgs{
			name: "wave", artifact: config.ArtifactWaveChart, values: waveValues(args.Config),
			own: own,
		}, needs...)
		if err != nil {
			return err
		}
		if !*args.Config.Webhooks {
			w.Ready, err = l.rollout(release, release.revision(args.Config), waveWorkload)
			return err
		}
		spec := waveWebhook()
		spec.Releases = []string{release.id}
		w.Ready, err = l.gate("webhook",
			gateArgs{Spec: spec, Revision: release.revision(args.Config)}, release.object)
		return err
	})
}

func waveValues(cfg config.Wave) object {
	return object{
		"replicas": cfg.Replicas,
		"pdb":      object{"enabled": cfg.Replicas > 1},
		"webhooks": object{"enabled": *cfg.Webhooks},
	}
}

// waveWebhook returns the Spec of the webhook's gate: a dry run of a Deployment whose ConfigMap
// does not exist. Wave must set the Deployment's scheduler to waveHeld. An API server that cannot
// reach Wave does not refuse the Deployment (failurePolicy Ignore), but leaves its scheduler
// unchanged.
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
			Workloads:   []string{waveWorkload},
		},
	}
}

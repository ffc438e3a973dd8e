package components

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"

	"strata/actions"
	"strata/actions/cluster/canary"
	"strata/config"
	"strata/internal/pulumi/self"
)

// canaryName returns the name of a workload's canary Deployment and Service.
func canaryName(workload string) string { return workload + "-canary" }

// backends returns the backends of an HTTPRoute. The workload's Service has all the weight and the
// canary's has none; the canary's command changes the weights while it runs.
func (w *workloadBuild) backends() array {
	name := w.args.Config.Name
	if w.args.Config.Canary == nil {
		return array{object{"name": name, "port": 80}}
	}
	return array{
		object{"name": name, "port": 80, "weight": 100},
		object{"name": canaryName(name), "port": 80, "weight": 0},
	}
}

// canaryReplicas returns the number of the canary's Pods. Behind APISIX the canary has two Pods, so
// that one is always ready. Without a ready Pod, the upstream is removed, and APISIX answers all
// requests of the route with 500, even if the upstream's weight is 0. The cause: the data plane
// loads routes and upstreams up to 100 ms apart (apisix apisix/core/config_yaml.lua,
// apisix/plugins/traffic-split.lua).
func (w *workloadBuild) canaryReplicas() int {
	cfg := w.args.Config
	if cfg.Canary != nil && cfg.RoutesBy(config.ControllerAPISIX) > 0 {
		return min(2, cfg.Replicas)
	}
	return 1
}

// canary registers a canary Deployment of the new version, and the command that tests it by sending
// it a share of the requests. The workload's own Deployment waits for this command. When the
// command exits, the old version gets all requests again. So a failed test does not change which
// version serves users, and an interrupted update can be repeated.
func (w *workloadBuild) canary() error {
	cfg := w.args.Config
	if cfg.Canary == nil {
		return nil
	}
	name := canaryName(cfg.Name)
	deployment, err := w.deployment("canary-deployment", name, w.canaryReplicas(), w.reads()...)
	if err != nil {
		return err
	}
	rollout, err := w.rollout("canary-rollout", name, deployment)
	if err != nil {
		return fmt.Errorf("canary: %w", err)
	}
	needs := []pulumi.Resource{rollout}
	for _, routes := range w.routed {
		needs = append(needs, routes...)
	}
	spec := w.canarySpec()
	input := pulumix.Apply(w.revision().ToStringOutput(), func(revision string) canary.Spec {
		spec.Revision = revision
		return spec
	})
	command := actions.CommandOf(canary.Try, input,
		pulumi.StringMap{self.Kubeconfig: w.args.Cluster.Kubeconfig})
	options := append(childOf(w, needs...), w.args.Cluster.deletedWith())
	// A killed command may leave changed weights on the routes. registerAttempt makes the command
	// run again and reset the weights, even if the configuration returns to the previous version.
	if err := registerAttempt(w.ctx, w.name+"-canary", command, options); err != nil {
		return err
	}
	// The output records which revisions were tested, so that a renewed kubeconfig alone does not
	// repeat a test.
	command.AddPreviousOutputInEnv = pulumi.Bool(true)
	w.passed, err = local.NewCommand(w.ctx, w.name+"-canary", command,
		append(options, customTimeouts(spec.Timeout))...)
	if err != nil {
		return fmt.Errorf("canary: %w", err)
	}
	return nil
}

func (w *workloadBuild) canarySpec() canary.Spec {
	cfg := w.args.Config
	spec := canary.Spec{
		Namespace: cfg.Namespace, Stable: cfg.Name, Canary: canaryName(cfg.Name),
		Path: cfg.Probes.Ready, Steps: cfg.Canary.Steps,
		Hold: cfg.Canary.Hold, MaxFailing: cfg.Canary.MaxFailing, MinAnswers: cfg.Canary.MinAnswers,
	}
	for _, route := range cfg.Routes {
		spec.Routes = append(spec.Routes, w.routeName(route))
	}
	for _, controller := range slices.Sorted(maps.Keys(w.routed)) {
		if metrics := w.args.Ingress[controller].Metrics; metrics != nil {
			spec.Metrics = append(spec.Metrics, *metrics)
		}
	}
	// Each observation may take as long as the pause after it. The grace period is for Pods of the
	// previous canary, which terminate first.
	longest := canary.HoldAtMost * (cfg.Canary.Hold.Duration + spec.Age())
	spec.Timeout.Duration = time.Duration(2*len(cfg.Canary.Steps))*longest + cfg.Grace() +
		2*time.Minute
	return spec
}

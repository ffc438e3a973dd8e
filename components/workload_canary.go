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

// canaryName returns the name of the Deployment and the Service of a workload's new version.
func canaryName(workload string) string { return workload + "-canary" }

// backends returns the backends of a route: the Service gets all requests and the canary's gets
// none, until a canary is tried.
func (w *workloadBuild) backends() pulumi.Array {
	name := w.args.Config.Name
	if w.args.Config.Canary == nil {
		return pulumi.Array{pulumi.Map{"name": pulumi.String(name), "port": pulumi.Int(80)}}
	}
	return pulumi.Array{
		pulumi.Map{"name": pulumi.String(name), "port": pulumi.Int(80), "weight": pulumi.Int(100)},
		pulumi.Map{"name": pulumi.String(canaryName(name)), "port": pulumi.Int(80),
			"weight": pulumi.Int(0)},
	}
}

// canaryReplicas returns the number of Pods of the new version. Behind APISIX it is two, so that
// one is always ready. APISIX's data plane takes routes and upstreams up to 100 ms apart. It
// answers each request of a route with 500 while one of the route's upstreams is missing, even one
// of weight 0 (apisix apisix/core/config_yaml.lua, apisix/plugins/traffic-split.lua). An upstream
// disappears with its last ready Pod.
func (w *workloadBuild) canaryReplicas() int {
	cfg := w.args.Config
	if cfg.Canary != nil && cfg.RoutesBy(config.ControllerAPISIX) > 0 {
		return min(2, cfg.Replicas)
	}
	return 1
}

// canary registers the new version beside the old one, and the command that tries it. The
// Deployment of all Pods waits for this command. When the command ends, the old version has all
// requests. So an update can be interrupted at any point, and the next one starts anew. A failed
// command has changed only Pods without requests.
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
	options := slices.Concat(childOf(w, needs...), w.args.Cluster.deletedWith())
	// A command that was killed may have left a weight on the routes. So it runs again and resets
	// the weight, even if the new version was reverted.
	if err := registerAttempt(w.ctx, w.name+"-canary", command, options); err != nil {
		return err
	}
	// The command's output records the versions that it has tried, so that a renewed kubeconfig
	// alone repeats nothing.
	command.AddPreviousOutputInEnv = pulumi.Bool(true)
	w.passed, err = local.NewCommand(w.ctx, w.name+"-canary", command,
		append(options, customTimeouts(spec.Timeout))...)
	if err != nil {
		return fmt.Errorf("canary: %w", err)
	}
	return nil
}

// canarySpec returns the input of the canary's command.
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
	// An observation may take as long as the pause after it. Before the first, Pods of the previous
	// version have their grace period.
	longest := canary.HoldAtMost * (cfg.Canary.Hold.Duration + spec.Age())
	spec.Timeout.Duration = time.Duration(2*len(cfg.Canary.Steps))*longest + cfg.Grace() +
		2*time.Minute
	return spec
}

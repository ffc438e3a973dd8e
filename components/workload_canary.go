package components

import (
	"fmt"
	"slices"
	"time"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/config"
	"strata/internal/canary"
)

// canaryName is the Deployment's and the Service's of a workload's new version.
func canaryName(workload string) string { return workload + "-canary" }

// backends are what a route leads to: all requests to the Service, and none to the canary's, until a canary is tried.
func (w *workloadBuild) backends() pulumi.Array {
	name := w.args.Config.Name
	if w.args.Config.Canary == nil {
		return pulumi.Array{pulumi.Map{"name": pulumi.String(name), "port": pulumi.Int(80)}}
	}
	return pulumi.Array{
		pulumi.Map{"name": pulumi.String(name), "port": pulumi.Int(80), "weight": pulumi.Int(100)},
		pulumi.Map{"name": pulumi.String(canaryName(name)), "port": pulumi.Int(80), "weight": pulumi.Int(0)},
	}
}

// canary registers the new version beside the old one, and the command that tries it: the Deployment of all Pods waits for that. The
// command ends with all requests at the old version, so an up that is interrupted at any place is followed by one that begins anew; and
// one that fails has changed nothing but Pods without requests.
func (w *workloadBuild) canary() error {
	cfg := w.args.Config
	if cfg.Canary == nil {
		return nil
	}
	name := canaryName(cfg.Name)
	deployment, err := w.deployment("canary-deployment", name, 1, w.reads()...)
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
	stdin := w.revision().ToStringOutput().ApplyT(func(revision string) (*string, error) {
		spec.Revision = revision
		return jsonText(spec)
	}).(pulumi.StringPtrOutput)
	command := runs("canary", stdin, pulumi.StringMap{"STRATA_KUBECONFIG": w.args.Cluster.Kubeconfig})
	w.passed, err = local.NewCommand(w.ctx, w.name+"-canary", command,
		slices.Concat(childOf(w, needs...), w.args.Cluster.deletedWith(), []pulumi.ResourceOption{bounded(spec.Timeout)})...)
	if err != nil {
		return fmt.Errorf("canary: %w", err)
	}
	return nil
}

// canarySpec is what the command is asked.
func (w *workloadBuild) canarySpec() canary.Spec {
	cfg := w.args.Config
	spec := canary.Spec{
		Namespace: cfg.Namespace, Stable: cfg.Name, Canary: canaryName(cfg.Name), Path: cfg.Probes.Ready, Steps: cfg.Canary.Steps,
		Hold: cfg.Canary.Hold, MaxFailing: cfg.Canary.MaxFailing, MinAnswers: cfg.Canary.MinAnswers,
		// A look may take as long as the pause after it.
		Timeout: metav1.Duration{Duration: time.Duration(2*canary.HoldAtMost*len(cfg.Canary.Steps))*cfg.Canary.Hold.Duration + 2*time.Minute},
	}
	for _, route := range cfg.Routes {
		spec.Routes = append(spec.Routes, w.routeName(route))
		if route.Controller == config.ControllerTraefik {
			spec.Traefik = w.args.Ingress[route.Controller].Metrics
		}
	}
	return spec
}

package components

import "github.com/pulumi/pulumi/sdk/v3/go/pulumi"

// budget registers the disruption budgets.
func (w *workloadBuild) budget() error {
	cfg := w.args.Config
	if err := w.budgetOf("budget", cfg.Name, cfg.MaxUnavailable()); err != nil ||
		w.canaryReplicas() < 2 {
		return err
	}
	return w.budgetOf("canary-budget", canaryName(cfg.Name), 1)
}

// budgetOf registers the budget for the Pods of the Deployment with a name. A Pod that is not ready
// may always be evicted: it serves no request, and a broken revision must not block a drain for
// ever.
func (w *workloadBuild) budgetOf(role, name string, unavailable int) error {
	_, err := w.object(role, "kubernetes:policy/v1:PodDisruptionBudget", pulumi.Map{
		"apiVersion": pulumi.String("policy/v1"), "kind": pulumi.String("PodDisruptionBudget"),
		"metadata": w.metadata(pulumi.String(name), nil),
		"spec": pulumi.Map{
			"selector":                   pulumi.Map{"matchLabels": workloadLabels(name)},
			"maxUnavailable":             pulumi.Int(unavailable),
			"unhealthyPodEvictionPolicy": pulumi.String("AlwaysAllow"),
		},
	})
	return err
}

package components

// budget registers the workload's PodDisruptionBudget, and the canary's if the canary has two Pods.
func (w *workloadBuild) budget() error {
	cfg := w.args.Config
	if err := w.budgetOf("budget", cfg.Name, cfg.MaxUnavailable()); err != nil ||
		w.canaryReplicas() < 2 {
		return err
	}
	return w.budgetOf("canary-budget", canaryName(cfg.Name), 1)
}

// budgetOf registers a PodDisruptionBudget for the Pods of the Deployment called name. Pods that
// are not ready may always be evicted, so that a broken revision does not block drains.
func (w *workloadBuild) budgetOf(role, name string, unavailable int) error {
	_, err := w.object(role, "kubernetes:policy/v1:PodDisruptionBudget", object{
		"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
		"metadata": w.metadata(name, nil),
		"spec": object{
			"selector":                   object{"matchLabels": nameLabel(name)},
			"maxUnavailable":             unavailable,
			"unhealthyPodEvictionPolicy": "AlwaysAllow",
		},
	})
	return err
}

// Package steps moves a part of a workload's requests to its new version, step by step, and back.
// It owns the weights of the HTTPRoutes while it runs, and leaves them as it found them: with all
// requests at the old version. So nothing of it has to survive: whoever is interrupted begins anew,
// and the rollout comes only after a run that ended well.
package steps

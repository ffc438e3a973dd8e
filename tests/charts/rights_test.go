package charts_test

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"strata/health"
	"strata/health/rollout"
)

// rights checks that the releases whose roles a gate reads exist. Each Role in a chart must name
// its namespace, because the command that restores Roles does not set one.
func (w *world) rights(spec health.Spec) {
	for _, name := range spec.Releases {
		w.need(slices.Contains(w.releases, name), "gate %s: no release is %s", spec.Gate, name)
	}
	for _, o := range w.charts {
		if o.Kind == "Role" || o.Kind == "RoleBinding" {
			named := as[struct{ Metadata struct{ Namespace string } }](o).Metadata.Namespace
			w.need(named != "", "gate %s: %s %s of %s names no namespace", spec.Gate, o.Kind,
				o.Name, o.from)
		}
	}
}

// redis checks that a Pod has the container whose log a gate reads, and that this container gets
// the password of redis.
func (w *world) redis(gate string, spec rollout.Redis) {
	selector, err := labels.Parse(spec.Clients)
	w.need(err == nil && slices.ContainsFunc(w.charts, func(o object) bool {
		if o.Namespace != spec.Namespace || !slices.Contains(workloadKinds, o.Kind) {
			return false
		}
		template := as[pods](o).Spec.Template
		return selector.Matches(labels.Set(template.Labels)) &&
			slices.ContainsFunc(template.Spec.Containers, func(c corev1.Container) bool {
				return c.Name == spec.Container &&
					slices.ContainsFunc(c.Env,
						func(e corev1.EnvVar) bool { return strings.HasPrefix(e.Name, "REDIS") })
			})
	}), "gate %s: no workload in %s with %s has a container %s that knows redis", gate,
		spec.Namespace,
		spec.Clients, spec.Container)
}

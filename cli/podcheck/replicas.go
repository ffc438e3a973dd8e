package podcheck

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"strata/artifacts/manifest"
)

// scaled holds the kinds that have a number of replicas. A DaemonSet and a Pod have none.
var scaled = map[string]bool{
	"Deployment": true, "StatefulSet": true, "ReplicaSet": true, "ReplicationController": true,
	"Rollout": true,
}

// takesRules reports whether the rules about lost requests apply to an object's Pods.
func takesRules(o manifest.Manifest) bool {
	group := o.GroupVersionKind().Group
	return (scaled[o.GetKind()] || o.GetKind() == "DaemonSet" || o.GetKind() == "Pod") &&
		(group == "" || group == "apps" || group == "argoproj.io")
}

// checkReplicas checks that some Pods still serve during a drain and during a rollout.
func (c *checker) checkReplicas(s *subject) {
	if s.GetKind() == "Pod" {
		c.addFinding(s, Replicas, "it is a Pod without a controller: nothing replaces it",
			"put it into a Deployment")
	}
	if !scaled[s.GetKind()] {
		return
	}
	replicas := c.checkCount(s)
	c.checkRollout(s, replicas)
	c.checkBudget(s, replicas)
}

// checkCount checks that the workload has at least two replicas. It returns their number; 2 if
// there are fewer.
func (c *checker) checkCount(s *subject) int {
	least, scaled := c.related.leastReplicas[namespaceOf(
		s.Manifest)+"/"+s.GetKind()+"/"+s.GetName()]
	if scaled {
		if least < 2 {
			c.addFinding(s, Replicas, "its HorizontalPodAutoscaler may leave one replica, and a "+
				"drain or a lost node none",
				"set minReplicas to two or more")
		}
		return max(2, int(least))
	}
	replicas, found, err := unstructured.NestedInt64(s.Object, "spec", "replicas")
	if !found || err != nil {
		replicas = 1 // Kubernetes' default
	}
	if replicas == 1 &&
		c.addFinding(s, Replicas, "it has one replica: a drain or a lost node leaves none",
			"run two or more") {
		s.patch.set(int64(2), "spec", "replicas")
	}
	return max(2, int(replicas))
}

// checkRollout refuses a Deployment that stops all its Pods before new ones serve.
func (c *checker) checkRollout(s *subject, replicas int) {
	var deployment appsv1.Deployment
	if s.GetKind() != "Deployment" || runtime.DefaultUnstructuredConverter.FromUnstructured(
		s.Object, &deployment) != nil {
		return
	}
	problem := ""
	switch strategy := deployment.Spec.Strategy; {
	case strategy.Type == appsv1.RecreateDeploymentStrategyType:
		problem = "strategy Recreate stops all Pods before new ones start"
	case strategy.RollingUpdate != nil && strategy.RollingUpdate.MaxUnavailable != nil:
		down, err := intstr.GetScaledValueFromIntOrPercent(strategy.RollingUpdate.MaxUnavailable,
			replicas, false)
		if err == nil && down >= replicas {
			problem = fmt.Sprintf("maxUnavailable %s stops all %d Pods at once",
				strategy.RollingUpdate.MaxUnavailable.String(), replicas)
		}
	}
	if problem != "" && c.addFinding(s, Rollout, problem,
		"replace Pods one by one: maxUnavailable 0, maxSurge 1") {
		s.patch.set(map[string]any{
			"type": "RollingUpdate", "rollingUpdate": map[string]any{"maxUnavailable": int64(0),
				"maxSurge": int64(1)},
		}, "spec", "strategy")
	}
}

// checkBudget checks that a budget lets a drain evict the Pods one by one, and does not block it.
func (c *checker) checkBudget(s *subject, replicas int) {
	budgets := c.related.budgetsOf(s)
	if len(budgets) == 0 {
		if c.addFinding(s, Budget, "no PodDisruptionBudget selects its Pods: a drain may stop all of them at once",
			"add one with maxUnavailable 1") {
			s.patch.addBudget(s)
		}
		return
	}
	for _, budget := range budgets {
		if countEvictable(budget.Spec, replicas) < 1 {
			c.addFinding(s, Budget,
				fmt.Sprintf("PodDisruptionBudget %s lets no Pod of %d go: a drain never ends",
					budget.Name, replicas),
				"set maxUnavailable 1 in it")
		}
	}
}

// countEvictable returns the number of Pods that a disruption budget allows to evict at once.
func countEvictable(spec policyv1.PodDisruptionBudgetSpec, replicas int) int {
	scale := func(value *intstr.IntOrString) int {
		scaled, err := intstr.GetScaledValueFromIntOrPercent(value, replicas, true)
		if err != nil {
			return replicas
		}
		return scaled
	}
	switch {
	case spec.MaxUnavailable != nil:
		return scale(spec.MaxUnavailable)
	case spec.MinAvailable != nil:
		return replicas - scale(spec.MinAvailable)
	}
	return replicas - 1 // minAvailable 1 is Kubernetes' default
}

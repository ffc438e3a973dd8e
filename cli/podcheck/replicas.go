package podcheck

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// defaultReplicas is Kubernetes' default of replicas and of an autoscaler's minReplicas.
var defaultReplicas int32 = 1

// checkReplicas checks that some Pods still serve during a drain and during a rollout.
func (c *checker) checkReplicas(s *subject) {
	switch s.GetKind() {
	case "Pod":
		c.addFinding(s, Replicas, "it is a Pod without a controller: nothing replaces it",
			"put it into a Deployment")
	case "DaemonSet": // as many as there are nodes
		c.checkRollout(s, math.MaxInt32)
	default:
		replicas := c.checkCount(s)
		c.checkRollout(s, replicas)
		c.checkBudget(s, replicas)
	}
}

// checkCount checks that the workload has at least two replicas. It returns their number, but at
// least 2.
func (c *checker) checkCount(s *subject) int {
	least, scaled := c.related.leastReplicas[s.namespace+"/"+s.GetKind()+"/"+s.GetName()]
	replicas := *cmp.Or(s.Spec.Replicas, &defaultReplicas)
	if scaled {
		replicas = least
	}
	switch {
	case c.related.unread[s.namespace+"/HorizontalPodAutoscaler"]:
	case scaled && least < 2:
		c.addFinding(s, Replicas, "its HorizontalPodAutoscaler may leave one replica, and a "+
			"drain or a lost node none",
			"set minReplicas to two or more")
	case replicas == 1 &&
		c.addFinding(s, Replicas, "it has one replica: a drain or a lost node leaves none",
			"run two or more"):
		s.patch.set(int64(2), "spec", "replicas")
	}
	return max(2, int(replicas))
}

// checkRollout reports a workload that stops all its Pods before new ones serve.
func (c *checker) checkRollout(s *subject, replicas int) {
	key, strategy := "updateStrategy", s.Spec.UpdateStrategy
	change := map[string]any{"maxUnavailable": int64(1)}
	if s.GetKind() == "Deployment" || s.GetKind() == "Rollout" {
		key, strategy = "strategy", s.Spec.Strategy
		change = map[string]any{"maxUnavailable": int64(0), "maxSurge": int64(1)}
	}
	problem, rolling := "", cmp.Or(strategy.RollingUpdate, strategy.Canary)
	if strategy.Type == appsv1.RecreateDeploymentStrategyType {
		problem = "strategy Recreate stops all Pods before new ones start"
	} else if rolling != nil && rolling.MaxUnavailable != nil {
		limit := rolling.MaxUnavailable
		down, err := intstr.GetScaledValueFromIntOrPercent(limit, replicas, false)
		if err != nil {
			c.refuse(s.Manifest, fmt.Errorf("spec.%s: maxUnavailable: %w", key, err))
		} else if down >= replicas {
			problem = fmt.Sprintf("maxUnavailable %s stops all Pods at once", limit)
		}
	}
	if problem != "" && c.addFinding(s, Rollout, problem,
		"replace Pods one by one: maxUnavailable 1, or 0 with maxSurge 1") {
		s.patch.set(map[string]any{"type": "RollingUpdate", "rollingUpdate": change}, "spec", key)
	}
}

// checkBudget checks that a budget lets a drain evict the Pods one by one, and does not block it.
func (c *checker) checkBudget(s *subject, replicas int) {
	budgets := c.related.budgetsOf(s)
	switch {
	case c.related.unread[s.namespace+"/PodDisruptionBudget"]:
		return
	case len(budgets) == 0:
		if c.addFinding(s, Budget, "no PodDisruptionBudget selects its Pods: a drain may stop all "+
			"of them at once", "add one with maxUnavailable 1") {
			s.patch.addBudget(s)
		}
		return
	}
	names := map[string]bool{}
	for _, budget := range budgets {
		names[budget.Name] = true
		if evictable, _ := countEvictable(budget.Spec, replicas); evictable < 1 {
			c.addFinding(s, Budget,
				fmt.Sprintf("PodDisruptionBudget %s lets no Pod of %d go: a drain never ends",
					budget.Name, replicas),
				"set maxUnavailable 1 in it")
		}
	}
	if len(names) > 1 {
		c.addFinding(s, Budget, fmt.Sprintf("PodDisruptionBudgets %s select its Pods: the API "+
			"server evicts no Pod with several, and a drain never ends",
			strings.Join(slices.Sorted(maps.Keys(names)), ", ")), "remove all but one")
	}
}

// countEvictable returns the number of Pods that a disruption budget allows to evict at once.
func countEvictable(spec policyv1.PodDisruptionBudgetSpec, replicas int) (int, error) {
	switch {
	case spec.MaxUnavailable != nil:
		return intstr.GetScaledValueFromIntOrPercent(spec.MaxUnavailable, replicas, true)
	case spec.MinAvailable != nil:
		kept, err := intstr.GetScaledValueFromIntOrPercent(spec.MinAvailable, replicas, true)
		return replicas - kept, err
	}
	return replicas - 1, nil // minAvailable 1 is Kubernetes' default
}

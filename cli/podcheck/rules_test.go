package podcheck_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/cli/podcheck"
)

// good is a manifest that breaks no rule. Each line that a test replaces occurs once in it.
const good = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
  namespace: apps
spec:
  replicas: 2
  strategy: {rollingUpdate: {maxUnavailable: 1}}
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop, version: "2"}}
    spec:
      terminationGracePeriodSeconds: 46
      containers:
        - name: shop
          image: docker.io/acme/shop:1.2.3
          command: [sh, -c, "migrate; exec shop"]
          ports: [{name: http, containerPort: 8080}]
          readinessProbe: {httpGet: {path: /ready, port: http}}
          lifecycle: {preStop: {sleep: {seconds: 15}}}
        - name: log
          image: docker.io/acme/log:1.2.3
---
apiVersion: v1
kind: Service
metadata: {name: shop, namespace: apps}
spec: {selector: {app: shop}, ports: [{port: 80, targetPort: http}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: shop, namespace: apps}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: shop}}}
`

// change lists texts of good and their replacements, in pairs.
type change []string

func (c change) apply(t *testing.T) string {
	t.Helper()
	text := good
	for i := 0; i < len(c); i += 2 {
		require.Equal(t, 1, strings.Count(text, c[i]), c[i])
		text = strings.Replace(text, c[i], c[i+1], 1)
	}
	return text
}

const (
	probe     = "          readinessProbe: {httpGet: {path: /ready, port: http}}\n"
	lifecycle = "lifecycle: {preStop: {sleep: {seconds: 15}}}"
	command   = `command: [sh, -c, "migrate; exec shop"]`
	grace     = "      terminationGracePeriodSeconds: 46\n"
	replicas  = "  replicas: 2\n"
	strategy  = "strategy: {rollingUpdate: {maxUnavailable: 1}}"
	budget    = "{maxUnavailable: 1, selector: {matchLabels: {app: shop}}}"
	scaler    = "kind: PodDisruptionBudget\nmetadata: {name: shop, namespace: apps}\nspec: " +
		budget +
		"\n---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: shop, namespace: apps}\n" +
		"spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: shop}, maxReplicas: 9"
	withBudget = "kind: PodDisruptionBudget\nmetadata: {name: shop, namespace: apps}\nspec: " + budget
)

// broken are changes of good that break one rule.
var broken = map[string]struct {
	change change
	rule   string
	says   string
}{
	"no readiness probe": {change{probe, ""}, podcheck.Readiness,
		"container shop has no readinessProbe"},
	"only a startup probe": {
		change{"readinessProbe", "startupProbe"}, podcheck.Readiness,
		"container shop has no readinessProbe",
	},
	"no preStop": {change{lifecycle, ""}, podcheck.PreStop, "stops after 0s of preStop"},
	"a preStop too short": {
		change{"seconds: 15", "seconds: 14"},
		podcheck.PreStop, "stops after 14s of preStop",
	},
	"a command too short": {
		change{"sleep: {seconds: 15}", `exec: {command: [sh, -c, "sleep 5 && nginx -s quit"]}`},
		podcheck.PreStop, "5s of preStop",
	},
	"a grace period as long as preStop and request": {
		change{": 46", ": 45"},
		podcheck.GracePeriod, "is 45: a Pod is killed with requests, which may take 30s after 15s of preStop",
	},
	"the default grace period": {change{grace, ""}, podcheck.GracePeriod, "is 30"},
	"a longer preStop in the same grace period": {
		change{"seconds: 15", "seconds: 16"}, podcheck.GracePeriod, "30s after 16s of preStop",
	},
	"a shell that keeps SIGTERM": {
		change{"exec shop", "shop"},
		podcheck.Shutdown, "does not pass SIGTERM on",
	},
	"SIGKILL": {
		change{"lifecycle: {", "lifecycle: {stopSignal: SIGKILL, "},
		podcheck.Shutdown, "is stopped by SIGKILL",
	},
	"Recreate": {
		change{strategy, "strategy: {type: Recreate}"},
		podcheck.Rollout, "Recreate stops all Pods",
	},
	"a rollout of all at once": {
		change{"maxUnavailable: 1}}", "maxUnavailable: 2}}"},
		podcheck.Rollout, "maxUnavailable 2 stops all Pods",
	},
	"a Rollout's rollout of all at once": {
		change{
			"apps/v1\nkind: Deployment", "argoproj.io/v1alpha1\nkind: Rollout",
			strategy, "strategy: {canary: {maxUnavailable: 100%}}",
		}, podcheck.Rollout, "maxUnavailable 100% stops all Pods",
	},
	"a StatefulSet's rollout of all at once": {
		change{
			"kind: Deployment", "kind: StatefulSet", strategy,
			"updateStrategy: {rollingUpdate: {maxUnavailable: 2}}",
		}, podcheck.Rollout, "maxUnavailable 2 stops all Pods",
	},
	"a DaemonSet's rollout of all at once": {
		change{
			"kind: Deployment", "kind: DaemonSet", strategy,
			"updateStrategy: {rollingUpdate: {maxUnavailable: 100%}}",
		}, podcheck.Rollout, "maxUnavailable 100% stops all Pods",
	},
	"one replica": {change{"replicas: 2", "replicas: 1"}, podcheck.Replicas,
		"one replica"},
	"no number of replicas": {change{replicas, ""}, podcheck.Replicas, "one replica"},
	"an autoscaler down to one": {
		change{withBudget, scaler + "}"},
		podcheck.Replicas, "HorizontalPodAutoscaler may leave one",
	},
	"no budget": {
		change{"PodDisruptionBudget", "Lease"},
		podcheck.Budget, "no PodDisruptionBudget selects its Pods",
	},
	"a budget of other Pods": {
		change{budget, strings.Replace(budget, "shop", "shops", 1)},
		podcheck.Budget, "no PodDisruptionBudget",
	},
	"a budget in another namespace": {
		change{withBudget, strings.Replace(withBudget, "namespace: apps", "namespace: other", 1)},
		podcheck.Budget, "no PodDisruptionBudget",
	},
	"a budget that keeps 100%": {
		change{"{maxUnavailable: 1, ", "{minAvailable: 100%, "},
		podcheck.Budget, "PodDisruptionBudget shop lets no Pod of 2 go",
	},
	"a budget that keeps both replicas": {
		change{"{maxUnavailable: 1, ", "{minAvailable: 2, "},
		podcheck.Budget, "lets no Pod of 2 go",
	},
	"two budgets": {
		change{withBudget, withBudget + "\n---\napiVersion: policy/v1\n" +
			strings.Replace(withBudget, "name: shop", "name: all", 1)},
		podcheck.Budget, "PodDisruptionBudgets all, shop select its Pods",
	},
	"a budget with maxUnavailable 0": {
		change{"{maxUnavailable: 1, ", "{maxUnavailable: 0, "},
		podcheck.Budget, "lets no Pod of 2 go",
	},
}

func TestEachRuleReportsItsViolation(t *testing.T) {
	assert.Empty(t, find(t, good).Findings)
	for name, test := range broken {
		t.Run(name, func(t *testing.T) {
			found := find(t, test.change.apply(t)).Findings
			require.Len(t, found, 1)
			assert.Equal(t, test.rule, found[0].Rule)
			assert.Regexp(t, "^shop.yaml: [A-Za-z]+ apps/shop: spec.template.spec$", found[0].Place)
			assert.Contains(t, found[0].Problem, test.says)
			assert.NotEmpty(t, found[0].Fix)
		})
	}
}

// nearMisses are changes of good that resemble a broken rule but break none.
var nearMisses = map[string]change{
	"a preStop that runs sleep":    {"sleep: {seconds: 15}", "exec: {command: [sleep, '15']}"},
	"a preStop of unknown length":  {"sleep: {seconds: 15}", "httpGet: {path: /drain, port: http}"},
	"a shell that traps SIGTERM":   {"migrate; exec shop", "trap 'kill %1' TERM; shop & wait"},
	"a shell with one command":     {"migrate; exec shop", "shop --port 8080"},
	"a program named like a shell": {command, "command: [fish, -c, 'a; b']"},
	"another stop signal":          {"lifecycle: {", "lifecycle: {stopSignal: SIGQUIT, "},
	"25% of two Pods are none":     {"maxUnavailable: 1}}", "maxUnavailable: 25%}}"},
	"no strategy":                  {strategy, ""},
	"an autoscaler sets two":       {withBudget, scaler + ", minReplicas: 2}", replicas, ""},
	"a budget that keeps one":      {"{maxUnavailable: 1, ", "{minAvailable: 1, "},
	"a budget that keeps half":     {"{maxUnavailable: 1, ", "{minAvailable: 50%, "},
	"a budget by the other label": {
		budget, `{maxUnavailable: 1, selector: {matchLabels: {version: "2"}}}`,
	},
	"a port by its number": {"targetPort: http", "targetPort: 8080"},
	"a sidecar's port": {
		"image: docker.io/acme/log:1.2.3", "image: 'a:1'\n          ports: [{containerPort: 9090}]",
	},
	"a StatefulSet": {
		"kind: Deployment", "kind: StatefulSet", "  " + strategy + "\n", "",
	},
	"a DaemonSet with more nodes than go at once": {
		"kind: Deployment", "kind: DaemonSet", strategy,
		"updateStrategy: {rollingUpdate: {maxUnavailable: 5}}",
	},
	"one budget in two files": {
		withBudget, withBudget + "\n---\napiVersion: policy/v1\n" + withBudget,
	},
	"a worker that no Service selects": {
		"{selector: {app: shop}", "{selector: {app: other}", probe, "", grace, "", replicas, "",
	},
	"a worker without ports": {
		"kind: Service", "kind: Endpoints",
		"          ports: [{name: http, containerPort: 8080}]\n", "", probe, "", grace, "",
	},
}

func TestValidPodsThatResembleViolationsHaveNoFindings(t *testing.T) {
	for name, change := range nearMisses {
		t.Run(name, func(t *testing.T) {
			assert.Empty(t, find(t, change.apply(t)).Findings)
		})
	}
}

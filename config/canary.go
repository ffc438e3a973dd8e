package config

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Canary sends a share of a workload's requests to a new version before the rollout replaces the
// old version.
type Canary struct {
	// Steps are the shares of the requests that the new version gets, in percent, one after the
	// other. Default 5, 25, 50.
	Steps []int `json:"steps,omitempty"`
	// Hold is the duration of each step. A step lasts up to four times as long while it has fewer
	// answers than minAnswers. Default 30s. With APISIX, each step takes 15s more, because its
	// counts may be that old.
	Hold metav1.Duration `json:"hold,omitzero"`
	// MaxFailing is the highest accepted share of 5xx answers, in percent, as the ingress
	// controllers count them. If it is exceeded, or a probe fails, the old version gets all
	// requests back at once. Default 1.
	MaxFailing int `json:"maxFailing,omitempty"`
	// MinAnswers is the number of answers that a step needs before MaxFailing applies. A step with
	// fewer answers does not pass. Default 20.
	MinAnswers int `json:"minAnswers,omitempty"`
}

func (c *Canary) derive() {
	if len(c.Steps) == 0 {
		c.Steps = []int{5, 25, 50}
	}
	c.Hold.Duration = cmp.Or(c.Hold.Duration, 30*time.Second)
	c.MaxFailing, c.MinAnswers = cmp.Or(c.MaxFailing, 1), cmp.Or(c.MinAnswers, 20)
}

func (w workloadCheck) canary() {
	c := w.w.Canary
	if c == nil {
		return
	}
	for i, step := range c.Steps {
		switch {
		case step < 1 || step > 99:
			w.add(w.key("canary.steps[%d]", i), fmt.Sprint(step),
				"is not a part in percent, from 1 to 99",
				"all of it is the rollout after the last step")
		case i > 0 && step <= c.Steps[i-1]:
			w.add(w.key("canary.steps[%d]", i), fmt.Sprint(step),
				fmt.Sprintf("is not more than the %d before it", c.Steps[i-1]),
				"put the steps in order")
		}
	}
	if d := c.Hold.Duration; d < 2*time.Second || d > time.Hour {
		w.add(w.key("canary.hold"), d.String(), "is not from 2s to 1h", "write for example 30s")
	}
	w.addIf(c.MaxFailing < 1 || c.MaxFailing > 99, w.key("canary.maxFailing"),
		fmt.Sprint(c.MaxFailing), "is not a part in percent, from 1 to 99", "use for example 1")
	w.addIf(c.MinAnswers < 1, w.key("canary.minAnswers"), fmt.Sprint(c.MinAnswers),
		"is less than one", "use for example 20")
	// For each route, APISIX's controller writes the canary's upstreams under the same names. With
	// two routes, the data plane gets two upstreams of one name, and refuses its whole
	// configuration (apisix-ingress-controller internal/adc/translator, apisix
	// apisix/admin/standalone.lua).
	w.addIf(w.w.RoutesBy(ControllerAPISIX) > 1, w.key("canary"), "",
		"has more than one route of apisix, which takes no configuration with two to one canary",
		"leave one route of apisix")
	isOther := func(r WorkloadRoute) bool { return r.Kind != RouteHTTP }
	w.addIf(len(w.w.Routes) == 0 || slices.ContainsFunc(w.w.Routes, isOther), w.key("canary"), "",
		"needs routes, each of kind HTTPRoute, which alone has weights",
		"set kind: HTTPRoute in every route")
}

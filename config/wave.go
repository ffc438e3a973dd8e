package config

import (
	"fmt"
	"slices"
)

// Wave configures the operator that replaces Pods when a ConfigMap or Secret that they read changes
// outside Strata.
type Wave struct {
	// Enabled installs Wave. Default false.
	Enabled bool `json:"enabled,omitempty"`
	// ChartVersion is the chart's version. Default: the bundle's version, or else the pin.
	ChartVersion string `json:"chartVersion,omitempty"`
	// Values are Helm values for the chart, in the form of its values.yaml. Strata refuses values
	// that it relies on (docs/values.md). Default: none.
	Values Values `json:"values,omitzero"`
	// Webhooks makes Wave's admission webhook keep the Pods of a new workload unscheduled until all
	// their ConfigMaps and Secrets exist. If false, the Pods start at once, wait for missing
	// objects, and are replaced once when Wave adds its hash. Needs cert-manager, which signs for
	// the webhook. Default true.
	Webhooks *bool `json:"webhooks,omitempty"`
	// Replicas is the number of Pods. One Pod replaces workloads' Pods, and each answers the
	// webhook. Default 2.
	Replicas int `json:"replicas,omitempty"`
}

var waveOwned = slices.Concat(
	keepNames(),
	set("use apps.wave.replicas", "replicas"),
	because(budgeted, "use apps.wave.replicas", "pdb.enabled"),
	set("use apps.wave.webhooks", "webhooks.enabled"),
	keepDefaults("without it Wave may do none of its work", "global.rbac.enabled"),
)

func (c *Config) checkWave(ps *problems) {
	wave := c.Apps.Wave
	ps.addIf(wave.Enabled && *wave.Webhooks && !*c.CertManager.Enabled, field("apps.wave.webhooks"),
		"true", "needs certificates, and certManager.enabled is false",
		"enable cert-manager, or set apps.wave.webhooks: false")
	ps.addIf(wave.Replicas < 1, field("apps.wave.replicas"), fmt.Sprint(wave.Replicas),
		"is less than one", "use 2 or more, so that one can go while another answers")
	for i, w := range c.Apps.Workloads {
		ps.addIf(w.Wave && !wave.Enabled, field("apps.workloads[%d].wave", i), "true",
			"needs the operator, and apps.wave.enabled is false", "enable it, or remove the key")
	}
}

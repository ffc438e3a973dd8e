package config

import (
	"slices"
	"strings"
)

// Values of strata:drift.mode.
const (
	DriftRepair = "repair"
	DriftReport = "report"
	DriftOff    = "off"
)

// Drift configures how updates treat drift.
type Drift struct {
	// Mode selects how `pulumi up` treats files, settings and objects on the hosts and in the
	// cluster that were changed since the last update. repair restores them, report only names
	// them, and off does not look for changes. Default repair.
	Mode string `json:"mode" enum:"repair,report,off"`
	// Ignore lists changed objects, files or settings that are accepted, named as `strata drift`
	// prints them, for example Deployment/traefik/traefik. Default: none.
	Ignore []string `json:"ignore,omitempty"`
}

func (c *Config) checkDrift(ps *problems) {
	ps.addIf(!slices.Contains([]string{DriftRepair, DriftReport, DriftOff}, c.Drift.Mode),
		field("drift.mode"), c.Drift.Mode, "is not repair, report or off",
		"write one of the three")
	for i, thing := range c.Drift.Ignore {
		ps.addIf(!strings.Contains(thing, "/"), field("drift.ignore[%d]", i), thing,
			"is no thing that strata drift names", "write it as strata drift prints it")
	}
}

package config

import (
	"path/filepath"
	"slices"
	"strings"
)

// The values of Apps.Validate.
const (
	// ValidateFull waits until everything answers from outside the cluster.
	ValidateFull = "full"
	// ValidateSkip waits only for resources that others depend on.
	ValidateSkip = "skip"
)

// Apps configures the applications on the platform.
type Apps struct {
	// Demo installs the demo of APISIX: httpbin, Keycloak with a realm, and a small REST API, each
	// behind its own kind of route. Needs controller apisix. Default false.
	Demo bool `json:"demo,omitempty"`
	// RestImage is the image of the demo's REST API, examples/go-rest, which no registry has.
	// Default: the bundle's, or the one that `strata fetch` builds if artifacts.source is upstream;
	// nodes get it as an archive. Required with the demo on an existing cluster, whose nodes Strata
	// does not reach.
	RestImage string `json:"restImage,omitempty"`
	// Manifests are YAML or JSON files of your own, relative to the project. They are applied in
	// parallel, each object as soon as the server of its kind works.
	Manifests []string `json:"manifests,omitempty" plain:"true"`
	// Workloads are applications of your own that lose no request when they are replaced.
	Workloads []Workload `json:"workloads,omitempty"`
	// Wave is the operator for changes of ConfigMaps and Secrets outside Strata.
	Wave Wave `json:"wave,omitzero"`
	// CertWaitImage is the image of tools/cert-wait, the init container that holds a Pod until its
	// certificate exists. It has the default of restImage. It is required on an existing cluster if
	// a workload has a certificate.
	CertWaitImage string `json:"certWaitImage,omitempty"`
	// Validate is full or skip. Full ends an update when APISIX, the applications behind it, and
	// each workload answer from outside the cluster. Skip leaves out each of their gates that
	// nothing depends on. Then the update ends early, and the rest converges afterwards. Default
	// full. The variable SKIP_FINAL_WAIT=true means skip, and false full.
	Validate string `json:"validate,omitempty" enum:"full,skip"`
}

// Full reports whether an update waits for all gates of applications.
func (a Apps) Full() bool { return a.Validate != ValidateSkip }

func (c *Config) checkApps(ps *problems) {
	ps.addIf(c.Apps.Demo && !c.Ingress.Uses(ControllerAPISIX), field("apps.demo"), "true",
		"needs APISIX, and ingress.controllers is "+list(c.Ingress.Controllers),
		"add "+ControllerAPISIX+" to ingress.controllers, or set apps.demo: false")
	if modes := []string{ValidateFull, ValidateSkip}; !slices.Contains(modes, c.Apps.Validate) {
		ps.add(field("apps.validate"), c.Apps.Validate, "is neither full nor skip",
			suggestion(c.Apps.Validate, modes))
	}
	c.checkImages(ps)
	c.checkWorkloads(ps)
	for i, file := range c.Apps.Manifests {
		key := field("apps.manifests[%d]", i)
		switch {
		case !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)):
			ps.add(key, file, "is not the path of a YAML or JSON file",
				"name a file that ends in .yaml or .json")
		case strings.ContainsAny(file, "*?") || strings.Contains(file, "://"):
			ps.add(key, file, "is a URL or a pattern, which are not read", "name one file")
		case slices.Contains(c.Apps.Manifests[:i], file):
			ps.add(key, file, "is there twice", "remove one")
		}
	}
}

// list joins names for messages; it returns "empty" if there are none.
func list(names []string) string {
	if len(names) == 0 {
		return "empty"
	}
	return strings.Join(names, ", ")
}

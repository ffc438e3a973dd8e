package config

import (
	"path/filepath"
	"slices"
	"strings"
)

// The values of Apps.Validate.
const (
	// ValidateFull waits until APISIX, its applications and workloads answer outside requests.
	ValidateFull = "full"
	// ValidateSkip does not wait for gates of applications on which no resource depends.
	ValidateSkip = "skip"
)

// Apps configures the applications on the platform.
type Apps struct {
	// Demo installs the demo of APISIX: httpbin, Keycloak with a realm, and a small REST API, each
	// behind its own kind of route. Needs controller apisix. Default false.
	Demo bool `json:"demo,omitempty"`
	// RestImage is the image of the demo's REST API, examples/go-rest, which no registry has.
	// Default: the image in the bundle; with artifacts.source upstream, the image that `strata
	// fetch` builds. Strata copies it to the nodes as an archive. Required with the demo on an
	// existing cluster, because Strata cannot copy images to its nodes.
	RestImage string `json:"restImage,omitempty"`
	// Manifests are YAML or JSON files of your own, relative to the project. Their objects are
	// applied in parallel. An object waits until its kind is served and its layer's webhook works.
	Manifests []string `json:"manifests,omitempty" plain:"true"`
	// Workloads are applications of your own that lose no request when their Pods are replaced.
	Workloads []Workload `json:"workloads,omitempty"`
	// Wave is the operator that replaces Pods when their ConfigMaps or Secrets change outside
	// Strata.
	Wave Wave `json:"wave,omitzero"`
	// CertWaitImage is the image of tools/cert-wait, the init container that holds a Pod until its
	// certificate exists. The default is that of restImage. Required on an existing cluster if a
	// workload has a certificate.
	CertWaitImage string `json:"certWaitImage,omitempty"`
	// Validate is full or skip. With full, an update ends once APISIX, the applications behind it
	// and each workload answer from outside the cluster. With skip, it does not wait for gates of
	// applications on which no resource depends. Default full. The variable SKIP_FINAL_WAIT
	// overrides it: true means skip, and false full.
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

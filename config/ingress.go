package config

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
)

// ControllerTraefik selects Traefik in Ingress.Controllers.
const ControllerTraefik = "traefik"

// Ingress configures the ingress controllers, and the domain of the platform's services.
type Ingress struct {
	// Controllers are the ingress controllers: traefik, apisix, both, or none. Each has an address
	// of its own. Default: traefik, if MetalLB and cert-manager are enabled.
	Controllers []string `json:"controllers,omitempty" enum:"traefik,apisix"`
	// Domain is the DNS domain below which the platform's own services have their names, for
	// example traefik.DOMAIN. Default: STACK.strata.test, a name that is reserved for tests (RFC
	// 6761).
	Domain string `json:"domain,omitempty"`
}

// Uses reports whether a controller is configured.
func (i Ingress) Uses(controller string) bool { return slices.Contains(i.Controllers, controller) }

var controllers = []string{ControllerTraefik, ControllerAPISIX}

func (c *Config) checkIngress(ps *problems) {
	for i, name := range c.Ingress.Controllers {
		key := field("ingress.controllers[%d]", i)
		switch {
		case !slices.Contains(controllers, name):
			ps.add(key, name, "is not a known ingress controller", suggestion(name, controllers))
		case slices.Contains(c.Ingress.Controllers[:i], name):
			ps.add(key, name, "is there twice", "remove one")
		}
	}
	if domain := c.Ingress.Domain; len(validation.IsDNS1123Subdomain(domain)) > 0 {
		ps.add(field("ingress.domain"), domain, "is not a DNS domain",
			"use lower-case letters, digits, dashes and dots, for example staging.example.org")
	}
	if c.Ingress.Uses(ControllerTraefik) || c.Ingress.Uses(ControllerAPISIX) {
		c.checkBelowIngress(ps)
	}
}

// longestRequestLimit bounds the longestRequest of ingress controllers and workloads.
const longestRequestLimit = time.Hour

// checkController checks the keys that the sections of all ingress controllers have, if the
// controller is configured.
func (c *Config) checkController(
	ps *problems, section string, replicas int, longest time.Duration, address netip.Addr,
	policy TrafficPolicy,
) {
	if !c.Ingress.Uses(section) {
		return
	}
	key := func(name string) string { return field("%s.%s", section, name) }
	ps.addIf(replicas < 1, key("replicas"), fmt.Sprint(replicas), "is less than one",
		"use 2 or more, so that one can go while another serves")
	ps.addIf(longest < time.Second || longest > longestRequestLimit, key("longestRequest"),
		longest.String(), "is not between 1s and "+longestRequestLimit.String(),
		"use the longest time that a request may take, for example 30s")
	c.checkInPool(ps, section+".address", address)
	known := []string{string(TrafficCluster), string(TrafficLocal)}
	ps.addIf(policy != "" && !slices.Contains(known, string(policy)), key("externalTrafficPolicy"),
		string(policy), "is neither Cluster nor Local", suggestion(string(policy), known))
}

// checkBelowIngress checks that an ingress controller has MetalLB and cert-manager, and that K3s's
// own Traefik is off.
func (c *Config) checkBelowIngress(ps *problems) {
	for _, name := range c.Ingress.Controllers {
		ps.addIf(!*c.MetalLB.Enabled, field("ingress.controllers"), name,
			"needs a load balancer, and metallb.enabled is false",
			"enable MetalLB, or set ingress.controllers: []")
		ps.addIf(!*c.CertManager.Enabled, field("ingress.controllers"), name,
			"needs certificates, and certManager.enabled is false",
			"enable cert-manager, or set ingress.controllers: []")
	}
	// A misspelt traefik counts as well, because the rule for packaged components reports it.
	ps.addIf(!c.OnExistingCluster() && !slices.ContainsFunc(c.K3s.Disable,
		func(entry string) bool { return nearest(entry, packaged) == "traefik" }),
		field("k3s.disable"), "",
		"leaves K3s's own Traefik on, which would own the same CRDs and IngressClass",
		"add traefik to k3s.disable, or set ingress.controllers: []")
}

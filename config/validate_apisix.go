package config

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func (c *Config) checkAPISIX(ps *problems) {
	apisix := c.APISIX
	for _, chart := range []struct{ key, version, pin string }{
		{"apisix.chartVersion", apisix.ChartVersion, APISIXChartVersion},
		{"apisix.controllerChartVersion", apisix.ControllerChartVersion, APISIXControllerChartVersion},
	} {
		if chart.version != "" && !chartVersion.MatchString(chart.version) {
			ps.add(field("%s", chart.key), chart.version, "is not a chart version", "write X.Y.Z, for example "+chart.pin)
		}
	}
	if apisix.Replicas < 1 {
		ps.add(field("apisix.replicas"), fmt.Sprint(apisix.Replicas), "is less than one", "use 2 or more, so that one can go while another serves")
	}
	if d := apisix.LongestRequest.Duration; d < time.Second || d > longestRequestLimit {
		ps.add(field("apisix.longestRequest"), d.String(), "is not between 1s and "+longestRequestLimit.String(), "use the longest time that a request may take, for example 30s")
	}
	c.checkInPool(ps, "apisix.address", apisix.Address)
	checkTrafficPolicy(ps, "apisix", apisix.ExternalTrafficPolicy)
	if apisix.Address.IsValid() && c.Ingress.Uses(ControllerTraefik) && apisix.Address == c.Traefik.Address {
		ps.add(field("apisix.address"), apisix.Address.String(), "is traefik.address, and both listen on ports 80 and 443", "choose two addresses")
	}
}

// checkInPool checks that an address is one that MetalLB may give.
func (c *Config) checkInPool(ps *problems, key string, address netip.Addr) {
	if !address.IsValid() {
		return
	}
	inPool := slices.ContainsFunc(c.MetalLB.Addresses, func(text string) bool {
		addresses, err := ParseRange(text)
		return err == nil && addresses.Contains(address)
	})
	if !inPool {
		ps.add(field("%s", key), address.String(), "is in none of metallb.addresses "+strings.Join(c.MetalLB.Addresses, ", "),
			"choose one of them, or leave the key out")
	}
}

func (c *Config) checkApps(ps *problems) {
	if *c.Apps.Demo && !c.Ingress.Uses(ControllerAPISIX) {
		ps.add(field("apps.demo"), "true", "needs APISIX, and ingress.controllers is "+list(c.Ingress.Controllers),
			"add "+ControllerAPISIX+" to ingress.controllers, or set apps.demo: false")
	}
	if modes := []string{ValidateFull, ValidateSkip}; !slices.Contains(modes, c.Apps.Validate) {
		ps.add(field("apps.validate"), c.Apps.Validate, "is neither full nor skip", suggestion(c.Apps.Validate, modes))
	}
	c.checkImages(ps)
	c.checkWorkloads(ps)
	c.checkWave(ps)
	for i, file := range c.Apps.Manifests {
		key := field("apps.manifests[%d]", i)
		switch {
		case !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)):
			ps.add(key, file, "is not the path of a YAML or JSON file", "name a file that ends in .yaml or .json")
		case slices.Contains(c.Apps.Manifests[:i], file):
			ps.add(key, file, "is there twice", "remove one")
		}
	}
}

// list is names for people; none is "empty".
func list(names []string) string {
	if len(names) == 0 {
		return "empty"
	}
	return strings.Join(names, ", ")
}

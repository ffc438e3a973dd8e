package preflight

import (
	"net/netip"
	"path"
	"regexp"
	"slices"
	"strings"

	"strata/health/host"
)

var (
	zoneHead    = regexp.MustCompile(`^(\S+)( \(.*active.*\))?$`)
	richSource  = regexp.MustCompile(`source address="([^"]*)"`)
	portElement = regexp.MustCompile(`\b(port|protocol)="([^"]*)"`)
	// inner matches the interfaces of containers and VMs; no packet of another node arrives there.
	inner = regexp.MustCompile(`^(lo|docker|podman|br-|virbr|veth|cni|flannel|cali)`)
)

// zone is a zone of firewalld; it selects packets by their source, or else by their interface.
type zone struct {
	name       string
	active     bool
	interfaces []string
	sources    []netip.Prefix
	passes     []pass
}

// firewalld parses `firewall-cmd --list-all-zones`. If no active zone has an interface of the host,
// the default zone applies.
func firewalld(b host.Block) (firewall, bool) {
	wall := firewall{name: "firewalld", keep: " && firewall-cmd --reload"}
	preset := b.Get("firewalld_default")
	opened := ""
	var byDefault []pass
	for _, z := range zones(b["firewalld"], servicePasses(b["firewalld_service"])) {
		isOuter := slices.ContainsFunc(z.interfaces,
			func(name string) bool { return !inner.MatchString(name) })
		if z.name == preset {
			byDefault = z.passes
		}
		if z.active && isOuter {
			opened = z.name
			wall.passes = append(wall.passes, z.passes...)
		}
		if z.active && len(z.sources) > 0 {
			for _, p := range z.passes {
				p.from = z.sources
				wall.passes = append(wall.passes, p)
			}
		}
	}
	if opened == "" {
		opened = preset
		wall.passes = append(wall.passes, byDefault...)
	}
	wall.allow = func(protocol string, _ netip.Prefix, ports []string) string {
		return "firewall-cmd --permanent --zone=" + opened + " --add-port=" +
			strings.Join(ports, "/"+protocol+" --add-port=") + "/" + protocol
	}
	return wall, len(b["firewalld"]) > 0
}

func zones(lines []string, services map[string][]pass) (all []zone) {
	for _, line := range lines {
		if head := zoneHead.FindStringSubmatch(line); head != nil {
			all = append(all, zone{name: head[1], active: head[2] != ""})
		}
		if len(all) == 0 {
			continue
		}
		z := &all[len(all)-1]
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch {
		case key == "target" && value == "ACCEPT":
			z.passes = append(z.passes, pass{})
		case key == "interfaces":
			z.interfaces = strings.Fields(value)
		case key == "sources":
			// The value is an ipset or a MAC address, whose addresses are unknown here: treat it as
			// any source.
			if z.sources = sources(value); z.sources == nil && value != "" {
				z.sources = sources("0.0.0.0/0")
			}
		case key == "ports":
			for one := range strings.FieldsSeq(value) {
				ports, protocol, _ := strings.Cut(one, "/")
				z.passes = append(z.passes, pass{protocol: protocol, ports: portSpans(ports)})
			}
		case key == "services":
			for name := range strings.FieldsSeq(value) {
				z.passes = append(z.passes, services[name]...)
			}
		case strings.HasPrefix(key, "rule ") && strings.HasSuffix(line, " accept"):
			z.passes = append(z.passes, richPass(line))
		}
	}
	return all
}

// servicePasses returns the ports of firewalld's services, by name. lines are FILE:ELEMENT.
func servicePasses(lines []string) map[string][]pass {
	services := map[string][]pass{}
	for _, line := range lines {
		file, element, _ := strings.Cut(line, ":")
		name := strings.TrimSuffix(path.Base(file), ".xml")
		services[name] = append(services[name], elementPass(element))
	}
	return services
}

func richPass(line string) pass {
	p := elementPass(line)
	if source := richSource.FindStringSubmatch(line); source != nil {
		p.from = sources(source[1])
	}
	if strings.Contains(line, "service name=") {
		p.ports = [][2]int{}
	}
	return p
}

func elementPass(text string) (p pass) {
	for _, attribute := range portElement.FindAllStringSubmatch(text, -1) {
		if attribute[1] == "port" {
			p.ports = portSpans(attribute[2])
		} else {
			p.protocol = attribute[2]
		}
	}
	return p
}

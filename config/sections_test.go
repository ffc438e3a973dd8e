package config_test

import "strings"

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGLBFXKfTDEUfdMClKcSBE8wSUzUuUQTwAcPqmxTNcKp"

const (
	server1 = `{"name":"server-1","role":"server","address":"10.10.0.11"}`
	agent1  = `{"name":"agent-1","role":"agent","address":"10.10.0.21"}`
)

// hosts returns the section hosts with driver existing and these nodes.
func hosts(nodes ...string) map[string]string {
	return map[string]string{
		"hosts": `{"driver":"existing","subnet":"10.10.0.0/24","nodes":[` +
			strings.Join(nodes, ",") + `]}`,
	}
}

// machines returns the section hosts with driver proxmox and additional keys.
func machines(keys string) map[string]string {
	return map[string]string{"hosts": madeHosts + keys + `"nodes":[` + server1 + `]}`}
}

// madeHosts is the beginning of a section whose hosts Strata makes.
const madeHosts = `{"driver":"proxmox","subnet":"10.10.0.0/24","hypervisor":{"address":"10.10.0.2"},"proxmox":{"template":9000},`

// both returns a configuration with two sections.
func both(first, firstText, second, secondText string) map[string]string {
	raw := one(first, firstText)
	raw[second] = secondText
	return raw
}

// one returns a configuration with a single section.
func one(section, text string) map[string]string { return map[string]string{section: text} }

// node returns node server-1 with additional keys.
func node(keys string) map[string]string {
	return hosts(`{"name":"server-1","role":"server","address":"10.10.0.11",` + keys + `}`)
}

func pool(ranges ...string) map[string]string {
	return one("metallb", `{"addresses":["`+strings.Join(ranges, `","`)+`"]}`)
}

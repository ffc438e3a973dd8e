package config_test

import (
	"strings"

	"strata/config"
)

// readingRules are cases for text that cannot be read.
var readingRules = []rule{
	{"an unknown section", one("metalb", `{}`),
		"strata:metalb: is not a known section; did you mean metallb?"},
	{"an unknown section without a similar one", one("zzzzzz", `{}`),
		"strata:zzzzzz: is not a known section; known are " +
			strings.Join(config.Sections(), ", ")},
	{"a misspelt key", one("k3s", `{"versoin":"v1"}`),
		"strata:k3s.versoin: is not a known key; did you mean version?"},
	{"a key twice in a text of JSON", one("traefik", `{"replicas":3,"replicas":4}`),
		`strata:traefik: is a text of JSON with a duplicate field "replicas"; keep one of the two`},
	{"a dot in place of the colon", one("strata.traefik", `{}`),
		"strata:strata.traefik: has a path in its name, and so sets no key of a section; take it " +
			"out and set it by its path: pulumi config rm 'strata:strata.traefik'; " +
			"pulumi config set --path 'strata:traefik' VALUE"},
	{"a misspelt key in a list", node(`"adress":"10.10.0.12"`),
		"strata:hosts.nodes[0].adress: is not a known key; did you mean address?"},
	{"a misspelt key two levels down", node(`"ssh":{"prot":22}`),
		"strata:hosts.nodes[0].ssh.prot: is not a known key; did you mean port?"},
	{"a key in other case", one("metallb", `{"Addresses":[]}`),
		"strata:metallb.Addresses: is not a known key; did you mean addresses?"},
	{"a text for a section", one("k3s", `v1.36.3+k3s1`),
		`strata:k3s: "v1.36.3+k3s1" is not an object; write its keys below it, indented`},
	{"a text for a list", one("metallb", `{"addresses":"10.10.0.200-10.10.0.210"}`),
		`strata:metallb.addresses: "10.10.0.200-10.10.0.210" is not a list; write each entry on a line of its own, after a dash`},
	{"a list for an object", node(`"labels":["a"]`),
		`strata:hosts.nodes[0].labels: is not an object; write its keys below it, indented`},
	{"a text for a number", node(`"ssh":{"port":"ssh"}`),
		`strata:hosts.nodes[0].ssh.port: "ssh" is not a whole number`},
	{"a fraction for a whole number", node(`"ssh":{"port":22.5}`),
		`strata:hosts.nodes[0].ssh.port: 22.5 is not a whole number`},
	{"a number for a text", node(`"labels":{"zone":1}`),
		`strata:hosts.nodes[0].labels["zone"]: is not a text; write it in quotes`},
	{"a password in digits", node(`"ssh":{"sudoPassword":12345678}`),
		`strata:hosts.nodes[0].ssh.sudoPassword: is not a text; write it in quotes`},
	{"a list for a text", node(`"labels":{"zone":["hunter2"]}`),
		`strata:hosts.nodes[0].labels["zone"]: is not a text`},
	{"a text for a boolean", one("k3s", `{"secretsEncryption":"yes"}`),
		`strata:k3s.secretsEncryption: "yes" is not true or false`},
	{"a word for on or off", one("verify", `perhaps`), `strata:verify: "perhaps" is not on or off`},
	{"a malformed duration", one("timeouts", `{"api":"5"}`),
		`strata:timeouts.api: "5" is not a duration, for example 5m`},
	{"a malformed network", one("k3s", `{"clusterCIDR":"10.42.0.0"}`),
		`strata:k3s.clusterCIDR: "10.42.0.0" is not a network in CIDR form, for example 10.10.0.0/24`},
	{"a malformed address", hosts(`{"name":"a","role":"server","address":"10.10.0.256"}`),
		`strata:hosts.nodes[0].address: "10.10.0.256" is not an IP address, for example 10.10.0.11`},
}

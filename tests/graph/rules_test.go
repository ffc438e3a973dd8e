package graph_test

import (
	"fmt"
	"slices"
	"strings"

	"strata/config"
	"strata/tests/pulumitest"
)

// rule is a property that every graph must have. check returns the violations.
type rule struct {
	name  string
	check func(p *program, g graph) []string
}

// rules are the rules for dependencies.
var rules = []rule{
	{"edges lead to custom resources, never to a bare component", edgesLeadToCustomResources},
	{"nothing is created before what it needs", createdInOrder},
	{"each resource waits for the gates of its layer", waitsForItsGates},
	{"nothing waits for more than it needs", waitsForNoMore},
	{"what runs on a machine of ours goes with it", goesWithItsMachine},
	{"an object in the cluster has the provider, goes with the cluster and waits for its API",
		inCluster},
	{"every command is bounded and knows the host it talks to", commandsAreBounded},
	{"an uninstall can never run after the install that it undoes", uninstallIsSafe},
	{"only what may be replaced has triggers", triggersReplace},
	{"what failed runs again, whatever is asked next", failuresAreRepeated},
	{"a destroy asks before it deletes anything", asksFirst},
	{"the guard knows each object of the program", guardKnowsObjects},
}

func edgesLeadToCustomResources(_ *program, g graph) []string {
	var broken []string
	for _, name := range g.names() {
		for _, need := range g[name].Dependencies {
			if target, known := g[need]; !known || !target.Custom {
				broken = append(broken, name+" waits for the component "+need)
			}
		}
		if !g[name].Custom && len(g[name].Dependencies) > 0 {
			broken = append(broken, "component "+name+" waits by itself")
		}
	}
	return broken
}

func createdInOrder(_ *program, g graph) []string {
	var broken []string
	for _, name := range g.names() {
		for _, need := range append(slices.Clone(g[name].Dependencies), g[name].Provider, g[name].DeletedWith) {
			if need != "" && g[need].Order >= g[name].Order {
				broken = append(broken, fmt.Sprintf("%s was created before %s", name, need))
			}
		}
	}
	return broken
}

// waitsForItsGates checks that each resource waits for the gates before it.
func waitsForItsGates(p *program, g graph) []string {
	var broken []string
	for _, need := range needs(p, g) {
		switch {
		case g[need.from].Name == "":
			broken = append(broken, need.from+" is not there")
		case !g.reaches(need.from, need.to):
			broken = append(broken, need.from+" does not wait for "+need.to)
		}
	}
	return broken
}

// need is a required dependency, direct or indirect.
type need struct{ from, to string }

// needs returns the dependencies that the platform of a stack must have.
func needs(p *program, g graph) []need {
	servers, agents := p.nodes(config.RoleServer), p.nodes(config.RoleAgent)
	var list []need
	add := func(from string, to ...string) {
		for _, one := range to {
			list = append(list, need{from, one})
		}
	}
	stable := "k3s-upgrade"
	if p.cfg.OnExistingCluster() {
		stable = "cluster-api"
		add("cluster-nodes", stable)
		add("cluster-system", stable)
		add("cluster-node-list", "cluster-nodes")
		add("cluster-provider", stable)
	} else {
		list = append(list, clusterNeeds(g, servers, agents)...)
		add("metallb-webhook", "k3s-credential")
	}
	add("metallb-namespace", stable) // its gates must not pass on Pods that a drain evicts
	add("metallb-release", "metallb-namespace")
	add("metallb-webhook", "metallb-release")
	add("metallb-pool", "metallb-webhook")
	add("metallb-advertisement", "metallb-webhook")
	add("metallb-pool-gate", "metallb-pool", "metallb-advertisement")
	add("cert-manager-namespace", stable)
	add("cert-manager-api", "cert-manager-release")
	add("ca-root-issuer", "cert-manager-api") // otherwise the webhook refuses it
	add("ca-root", "ca-root-issuer")
	add("ca-root-gate", "ca-root")
	add("ca-issuer", "ca-root-gate")
	add("ca-certificate", "ca-root-gate") // the recorded root must be of this configuration
	add("ca-gate", "ca-issuer", "ca-certificate")
	add("ca-reissue", "ca-gate")
	add("crds-gateway-api", stable)
	add("traefik-release", "metallb-pool-gate", "crds-gateway-api-gate", "crds-traefik-gate")
	add("traefik-tls-request", "ca-reissue", "traefik-namespace")
	add("traefik-gateway", "traefik-tls-gate", "crds-gateway-api-gate")
	add("traefik-dashboard-route", "traefik-dashboard-auth", "crds-traefik-gate")
	add("traefik-dashboard-auth", "traefik-dashboard-users")
	add("traefik-dashboard", "traefik-address", "traefik-dashboard-route")
	add("argocd-release", "argocd-redis", stable) // its Pods mount the Secret
	add("argocd-route", "argocd-release", "traefik-programmed")
	add("argocd-server", "argocd-route", "traefik-address")
	return list
}

// clusterNeeds returns the dependencies that the cluster itself must have.
func clusterNeeds(g graph, servers, agents []string) []need {
	all := append(slices.Clone(servers), agents...)
	var list []need
	add := func(from string, to ...string) {
		for _, one := range to {
			list = append(list, need{from, one})
		}
	}
	for _, node := range all {
		for _, action := range onHost(g, node) {
			add(action, "hosts-"+node+"-gate")
		}
		for _, pushed := range pushes(g, node) {
			add(pushed, "k3s-"+node+"-claim")
			add("k3s-"+node+"-install", pushed)
		}
		add("k3s-"+node+"-install", "k3s-"+node+"-admission") // the node's name is free then
		add("k3s-"+node+"-gate", "k3s-"+node+"-install")
		add("k3s-nodes", "k3s-"+node+"-gate")
	}
	for i, server := range servers[1:] {
		add("k3s-"+server+"-install", "k3s-"+servers[i]+"-gate") // one at a time: etcd admits one learner
	}
	for _, agent := range agents {
		add("k3s-"+agent+"-install", "k3s-"+servers[0]+"-gate")
	}
	add("k3s-credential", "k3s-"+servers[0]+"-gate", "k3s-cluster")
	for _, server := range servers {
		add("k3s-api", "k3s-"+server+"-gate")
	}
	add("k3s-api", "k3s-credential")
	add("k3s-members", "k3s-api")
	add("k3s-upgrade", "k3s-members") // leaving nodes are not upgraded
	for _, node := range all {
		add("k3s-upgrade", "k3s-"+node+"-binary") // it starts when the last node has its binary
	}
	add("k3s-nodes", "k3s-api", "k3s-upgrade")
	add("k3s-system", "k3s-api", "k3s-upgrade")
	add("k3s-provider", "k3s-api")
	return list
}

// onHost returns the resources that run on the host of a node.
func onHost(g graph, node string) []string {
	return g.where(func(r pulumitest.Resource) bool {
		return strings.HasPrefix(r.Name,
			"k3s-"+node+"-")
	})
}

// pushes returns the resources that copy files to the host of a node.
func pushes(g graph, node string) []string {
	return slices.DeleteFunc(onHost(g, node), func(name string) bool {
		return slices.Contains(
			[]string{"install", "claim", "admission", "keepalived", "keepalived-attempt", "gate"},
			strings.TrimPrefix(name, "k3s-"+node+"-"))
	})
}

// waitsForNoMore checks that the graph lacks needless dependencies, which would cost time in every
// update.
func waitsForNoMore(p *program, g graph) []string {
	servers, agents := p.nodes(config.RoleServer), p.nodes(config.RoleAgent)
	var broken []string
	never := func(from, to string) {
		if from != to && g.reaches(from, to) {
			broken = append(broken, from+" waits for "+to+": "+
				strings.Join(g.path(from, to), " <- "))
		}
	}
	all := append(slices.Clone(servers), agents...)
	for _, node := range all {
		for _, other := range all {
			// The preparation of a host does not depend on other hosts.
			if node != other {
				never("k3s-"+node+"-binary", "hosts-"+other+"-gate")
			}
		}
	}
	for _, agent := range agents {
		for _, other := range append(slices.Clone(servers[1:]), agents...) {
			if other != agent {
				never("k3s-"+agent+"-install", "k3s-"+other+"-gate") // agents join in parallel
			}
		}
		for _, server := range servers {
			never("k3s-"+server+"-install", "k3s-"+agent+"-gate")
		}
		never("k3s-credential", "k3s-"+agent+"-gate")
		never("k3s-api", "k3s-"+agent+"-gate")
	}
	for _, cluster := range []string{"k3s", "cluster"} {
		never("metallb-webhook", cluster+"-nodes") // docs/adr/0006
		never("metallb-release", cluster+"-system")
	}
	for _, one := range []string{"metallb-release", "cert-manager-release", "crds-gateway-api",
		"crds-traefik", "argocd-release"} {
		for _, other := range []string{"metallb-release", "cert-manager-release", "crds-gateway-api",
			"crds-traefik", "argocd-release", "traefik-release"} {
			never(one, other) // layers start in parallel
		}
	}
	never("traefik-release", "cert-manager-release") // only the users of the certificate wait for it
	return broken
}

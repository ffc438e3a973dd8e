package graph_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"strata/actions/hosts/hostrun"
	"strata/tests/pulumitest"
)

// goesWithItsMachine checks that resources on a machine that Strata creates are deleted with the
// machine (DeletedWith), so that a dead machine does not stop a destroy. Those on existing hosts
// must have no DeletedWith.
func goesWithItsMachine(p *program, g graph) []string {
	var broken []string
	for _, node := range p.cfg.Hosts.Nodes {
		machine := ""
		if p.cfg.Hosts.Driver.MakesVMs() {
			machine = "hosts-" + node.Name + "-vm"
		}
		for _, name := range append(onHost(g, node.Name), "hosts-"+node.Name+"-gate") {
			if g[name].DeletedWith != machine {
				broken = append(broken,
					fmt.Sprintf("%s is deleted with %q, expected %q", name, g[name].DeletedWith,
						machine))
			}
		}
	}
	return broken
}

// inCluster checks the provider of objects in the cluster, their wait for its API, and how they are
// deleted: with a cluster that Strata creates, or one by one in an existing cluster.
func inCluster(p *program, g graph) []string {
	var broken []string
	provider, identity, api := "k3s-provider", "k3s-cluster", "k3s-api"
	if p.cfg.OnExistingCluster() {
		provider, identity, api = "cluster-provider", "", "cluster-api"
		for _, name := range g.where(func(r pulumitest.Resource) bool { return r.DeletedWith != "" }) {
			broken = append(broken, name+" would be left behind: nothing deletes "+
				g[name].DeletedWith)
		}
	}
	for _, name := range g.where(func(r pulumitest.Resource) bool { return strings.HasPrefix(r.Type, "kubernetes:") }) {
		if g[name].Provider != provider {
			broken = append(broken, fmt.Sprintf("%s has the provider %q", name, g[name].Provider))
		}
		if g[name].DeletedWith != identity {
			broken = append(broken, fmt.Sprintf("%s is deleted with %q", name, g[name].DeletedWith))
		}
		if !g.reaches(name, api) {
			broken = append(broken, name+" does not wait for the API gate")
		}
	}
	return broken
}

func commandsAreBounded(_ *program, g graph) []string {
	var broken []string
	for _, name := range g.names() {
		switch r := g[name]; r.Type {
		case "command:remote:Command":
			broken = append(broken, name+" runs over the provider's SSH")
		case "command:local:Command":
			broken = append(broken, localProblems(r)...)
		}
	}
	return broken
}

// hostRunProblems checks that a script on a host has a shorter timeout than the engine, and that
// the host's key is pinned.
func hostRunProblems(r pulumitest.Resource) []string {
	var told hostrun.Input
	if err := json.Unmarshal([]byte(r.Text("stdin")), &told); err != nil {
		return []string{r.Name + " is told nothing that can be read"}
	}
	var broken []string
	for _, engine := range []string{r.Timeouts.Create, r.Timeouts.Update, r.Timeouts.Delete} {
		if bound, err := time.ParseDuration(engine); err != nil || told.Timeout.Duration <= 0 ||
			bound <= told.Timeout.Duration {
			broken = append(broken,
				fmt.Sprintf("%s: the engine gives up after %q, before the %s of the script are over",
					r.Name, engine, told.Timeout.Duration))
		}
	}
	if !strings.HasPrefix(told.Target.HostKey, "ssh-ed25519 ") {
		broken = append(broken, r.Name+" does not check the host's key")
	}
	if (told.Delete == "") != (r.Text("delete") == "") || told.Script == "" {
		broken = append(broken, r.Name+" has no script for a step, or no step for a script")
	}
	return broken
}

// localProblems checks that a local command runs Strata with exec, so that a timeout reaches
// Strata, and that the engine has a timeout. `keygen` needs none, because it neither waits nor
// connects. `push` and `vm image put` must have none, because a slow line takes long; they end by
// themselves if no data passes.
func localProblems(r pulumitest.Resource) []string {
	var broken []string
	create := r.Text("create")
	if create == "" {
		create = r.Text("delete") // it has a delete only
	}
	subcommand := pulumitest.Subcommand(create)
	if subcommand == "" {
		broken = append(broken, r.Name+" does not run the program with exec")
	}
	switch subcommand {
	case "keygen":
		return broken
	case "push", "vm image put":
		if r.Timeouts.Create != "" || r.Timeouts.Update != "" {
			broken = append(broken, r.Name+
				" is cut off by the engine, however fast it goes through")
		}
		return broken
	}
	for _, limit := range []string{r.Timeouts.Create, r.Timeouts.Update} {
		if bound, err := time.ParseDuration(limit); err != nil || bound <= 0 {
			broken = append(broken, fmt.Sprintf("%s has the bound %q", r.Name, limit))
		}
	}
	if subcommand == "host-run" {
		broken = append(broken, hostRunProblems(r)...)
	}
	if subcommand == "gate" && r.Text("delete") != "" {
		broken = append(broken, r.Name+" is a gate and has a delete")
	}
	return broken
}

// uninstallIsSafe checks that the script of an uninstall is in the state before anything is
// installed. No trigger may replace its resource, because that would run the uninstall after a new
// install. Its create claims the host, so that only claimed hosts are uninstalled.
func uninstallIsSafe(p *program, g graph) []string {
	var broken []string
	for _, node := range p.cfg.Hosts.Nodes {
		claim, install := g["k3s-"+node.Name+"-claim"], g["k3s-"+node.Name+"-install"]
		if !g.reaches(install.Name, claim.Name) || g.reaches(claim.Name, install.Name) {
			broken = append(broken, claim.Name+" is not before "+install.Name)
		}
		var told hostrun.Input
		if err := json.Unmarshal([]byte(claim.Text("stdin")), &told); err != nil ||
			!strings.HasSuffix(strings.TrimSpace(told.Script), "\nclaim") ||
			!strings.Contains(told.Delete, "found=$(whose)") {
			broken = append(broken,
				claim.Name+" does not claim the host alone when it is created, or is deleted whosever the host is")
		}
		if len(claim.Triggers()) > 0 || claim.DeleteFirst ||
			slices.Contains(claim.ReplacedOn, "create") ||
			slices.Contains(claim.ReplacedOn, "stdin") {
			broken = append(broken, claim.Name+" is replaced by something")
		}
		if len(install.Triggers()) > 0 || install.Text("delete") != "" {
			broken = append(broken, install.Name+" has triggers or a delete")
		}
	}
	return broken
}

// triggersReplace checks which resources have triggers, whose change replaces a command. A gate
// must have none, because its replacement could replace resources of the next layer. It runs again
// when its spec changes.
func triggersReplace(_ *program, g graph) []string {
	var broken []string
	for _, name := range g.where(func(r pulumitest.Resource) bool { return len(r.Triggers()) > 0 }) {
		r := g[name]
		ours := strings.HasSuffix(name, "-vm")
		// The new image is created before the old one is deleted, so no machine is replaced.
		image := name == "hosts-image" && !r.DeleteFirst
		// This command reads the time once for each password. Its replacement deletes nothing.
		passwordTime := name == "argocd-password-time" && !r.DeleteFirst && r.Text("delete") == ""
		allowed := strings.HasSuffix(name, "-hostkey") || ours && r.DeleteFirst || image ||
			passwordTime
		if !allowed || r.Text("create") == pulumitest.GateCommand {
			broken = append(broken, name+" is replaced when a trigger changes")
		}
		// The library of the official plugin does not support an unknown secret within a list.
		if list := r.Inputs["triggers"]; list.IsArray() && list.ContainsSecrets() {
			broken = append(broken, name+
				" has a secret among its triggers; the list is to be secret as a whole")
		}
	}
	return broken
}

// asksFirst checks that the last guard of a cluster depends on everything. So its delete ends
// before any other delete starts. With a DeletedWith, its delete would not run.
func asksFirst(p *program, g graph) []string {
	name := guardOf(p)
	guard := g[name]
	var broken []string
	if pulumitest.Subcommand(guard.Text("delete")) != "teardown" ||
		pulumitest.Subcommand(guard.Text("create")) != "discard-guard" ||
		len(guard.Triggers()) > 0 ||
		guard.DeletedWith != "" {
		broken = append(broken, name+" is not asked at its delete, or at another time")
	}
	for _, other := range g.names() {
		if g[other].Custom && other != name && g[other].Type != "pulumi:providers:kubernetes" &&
			!g.reaches(name, other) {
			broken = append(broken, other+" may be deleted before "+name)
		}
	}
	return broken
}

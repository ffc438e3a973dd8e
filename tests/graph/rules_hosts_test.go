package graph_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"strata/config"
	"strata/health"
	"strata/tests/pulumitest"
)

// goesWithItsMachine: where we made the machine, nothing on it needs a delete of its own, so a dead one stops no destroy. A
// existing host has no such resource to go with.
func goesWithItsMachine(p *program, g graph) []string {
	var broken []string
	for _, node := range p.cfg.Hosts.Nodes {
		machine := ""
		switch {
		case p.cfg.Hosts.Driver == config.DriverMachine:
			machine = "hosts-" + node.Name + "-machine"
		case p.cfg.Hosts.Driver.MakesVMs():
			machine = "hosts-" + node.Name + "-vm"
		}
		for _, name := range append(onHost(g, node.Name), "hosts-"+node.Name+"-gate") {
			if g[name].DeletedWith != machine {
				broken = append(broken, fmt.Sprintf("%s is deleted with %q, expected %q", name, g[name].DeletedWith, machine))
			}
		}
	}
	return broken
}

// inCluster: in a cluster of our own an object goes with the cluster; in an existing one it is deleted by itself.
func inCluster(p *program, g graph) []string {
	var broken []string
	provider, identity, api := "k3s-provider", "k3s-cluster", "k3s-api"
	if p.cfg.OnExistingCluster() {
		provider, identity, api = "cluster-provider", "", "cluster-api"
		for _, name := range g.where(func(r pulumitest.Resource) bool { return r.DeletedWith != "" }) {
			broken = append(broken, name+" would be left behind: nothing deletes "+g[name].DeletedWith)
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

// remoteBound is the bound in a remote command's own text; the provider's timeouts end the dialling only.
var remoteBound = regexp.MustCompile(`timeout -k 5 ([0-9]+) `)

func commandsAreBounded(_ *program, g graph) []string {
	var broken []string
	for _, name := range g.names() {
		switch r := g[name]; r.Type {
		case "command:remote:Command":
			broken = append(broken, remoteProblems(r)...)
		case "command:local:Command":
			broken = append(broken, localProblems(r)...)
		}
	}
	return broken
}

func remoteProblems(r pulumitest.Resource) []string {
	var broken []string
	for _, step := range []struct{ text, engine string }{
		{r.Text("create"), r.Timeouts.Create}, {r.Text("update"), r.Timeouts.Update}, {r.Text("delete"), r.Timeouts.Delete},
	} {
		if step.text == "" || step.text == "true" {
			continue
		}
		found := remoteBound.FindStringSubmatch(step.text)
		if found == nil {
			broken = append(broken, r.Name+" has a command without a bound on the host")
			continue
		}
		seconds, _ := strconv.Atoi(found[1])
		engine, err := time.ParseDuration(step.engine)
		if err != nil || engine <= time.Duration(seconds)*time.Second {
			broken = append(broken, fmt.Sprintf("%s: the engine gives up after %q, before the host's %ds are over", r.Name, step.engine, seconds))
		}
	}
	connection, secret := r.Input("connection")
	if !secret || !connection.IsObject() {
		return append(broken, r.Name+" has a connection that is not secret")
	}
	key := connection.ObjectValue()["hostKey"]
	if !key.IsString() || !strings.HasPrefix(key.StringValue(), "ssh-ed25519 ") {
		broken = append(broken, r.Name+" does not check the host's key")
	}
	if limit := connection.ObjectValue()["dialErrorLimit"]; !limit.IsNumber() || limit.NumberValue() != -1 {
		broken = append(broken, r.Name+" stops dialling after ten refusals")
	}
	if ahead, _ := r.Input("addPreviousOutputInEnv"); !ahead.IsBool() || ahead.BoolValue() {
		broken = append(broken, r.Name+" sends variables that sshd refuses")
	}
	return broken
}

// localProblems: a local command runs our own program, replaces its shell so that a timeout reaches it, and is bounded by the
// engine. `keygen` neither waits nor connects, so it needs no bound.
func localProblems(r pulumitest.Resource) []string {
	var broken []string
	create := r.Text("create")
	if create == "" {
		create = r.Text("delete") // it does nothing before it goes
	}
	subcommand, ours := strings.CutPrefix(create, "exec .strata/bin/strata ")
	if !ours {
		broken = append(broken, r.Name+" does not run the program with exec")
	}
	if subcommand == "keygen" {
		return broken
	}
	for _, limit := range []string{r.Timeouts.Create, r.Timeouts.Update} {
		if bound, err := time.ParseDuration(limit); err != nil || bound <= 0 {
			broken = append(broken, fmt.Sprintf("%s has the bound %q", r.Name, limit))
		}
	}
	if subcommand == "gate" && r.Text("delete") != "" {
		broken = append(broken, r.Name+" is a gate and has a delete")
	}
	return broken
}

// claimed is the last command of a remote script, without its quotes.
func claimed(create string) string { return strings.TrimRight(create, "'\n") }

// uninstallIsSafe: the delete's script is in the state before anything is installed, and no trigger can make the engine run
// it after the new install (a replacement creates first). What it does when it is created is to claim the host, so that only a host that is
// ours has one.
func uninstallIsSafe(p *program, g graph) []string {
	var broken []string
	for _, node := range p.cfg.Hosts.Nodes {
		uninstall, install := g["k3s-"+node.Name+"-uninstall"], g["k3s-"+node.Name+"-install"]
		if !g.reaches(install.Name, uninstall.Name) || g.reaches(uninstall.Name, install.Name) {
			broken = append(broken, uninstall.Name+" is not before "+install.Name)
		}
		if !strings.HasSuffix(claimed(uninstall.Text("create")), "claim") || !strings.Contains(uninstall.Text("delete"), "found=$(whose)") {
			broken = append(broken, uninstall.Name+" does not claim the host alone when it is created, or is deleted whosever the host is")
		}
		if len(uninstall.Triggers()) > 0 {
			broken = append(broken, uninstall.Name+" has triggers")
		}
		if len(install.Triggers()) > 0 || install.Text("delete") != "" {
			broken = append(broken, install.Name+" has triggers or a delete")
		}
	}
	return broken
}

// triggersReplace: a trigger replaces a command. A gate runs again because its spec changes; replacing it would let the next
// layer's resources be replaced with it.
func triggersReplace(p *program, g graph) []string {
	var broken []string
	for _, name := range g.where(func(r pulumitest.Resource) bool { return len(r.Triggers()) > 0 }) {
		r := g[name]
		ours := strings.HasSuffix(name, "-machine") || strings.HasSuffix(name, "-vm")
		// A new image is there before the old one goes: nothing that was made from it is replaced with it.
		image := name == "hosts-image" && !r.DeleteFirst
		allowed := name == "k3s-kubeconfig" || strings.HasSuffix(name, "-hostkey") || ours && r.DeleteFirst || image
		if !allowed || r.Text("create") == health.Command {
			broken = append(broken, name+" is replaced when a trigger changes")
		}
	}
	if p.cfg.OnExistingCluster() {
		return broken // the program itself reads the kubeconfig
	}
	kubeconfig := g["k3s-kubeconfig"]
	if !slices.Contains(kubeconfig.IgnoredChanges, "connection") || !slices.Contains(kubeconfig.IgnoredChanges, "create") {
		broken = append(broken, "k3s-kubeconfig is read again when the connection changes, and unknown in that preview")
	}
	return broken
}

// asksFirst: the guard of a cluster of ours depends on everything, so that its delete is over before any other begins. It is not deleted
// with anything, because it would not be asked then.
func asksFirst(p *program, g graph) []string {
	const name = "k3s-teardown-guard"
	guard, there := g[name]
	if p.cfg.OnExistingCluster() {
		if there {
			return []string{name + " asks about a cluster that stays"}
		}
		return nil
	}
	var broken []string
	if guard.Text("delete") != "exec .strata/bin/strata teardown" || guard.Text("create") != "" || len(guard.Triggers()) > 0 || guard.DeletedWith != "" {
		broken = append(broken, name+" is not asked at its delete, or at another time")
	}
	for _, other := range g.names() {
		if g[other].Custom && other != name && g[other].Type != "pulumi:providers:kubernetes" && !g.reaches(name, other) {
			broken = append(broken, other+" may be deleted before "+name)
		}
	}
	return broken
}

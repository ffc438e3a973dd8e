package fault

import (
	"fmt"
	"strings"
)

// Kind is one fault.
type Kind struct {
	// Name is the fault's name on the command line.
	Name string
	// About describes the faulty machine as seen from outside.
	About string
	// Inject and Clear are arguments of `lab machines`, in which MACHINE stands for the name.
	Inject, Clear []string
}

// Kinds are all faults, sorted by name.
var Kinds = []Kind{
	firewall("api-refused", "the API server's port answers with a reset",
		"INPUT -p tcp --dport 6443 -j REJECT --reject-with tcp-reset"),
	firewall("api-silent", "the API server's port swallows packets", "INPUT -p tcp --dport 6443 -j DROP"),
	{
		Name: "dead", About: "the machine lost its power; clear starts it again",
		Inject: []string{"stop", "--hard", machineArgument}, Clear: []string{"start", machineArgument},
	},
	inside("full-disk", "/var/lib/rancher has no room: 64 KiB in all, and nothing of what was "+
		"there; before K3s is installed",
		"mountpoint -q /var/lib/rancher && [ -e /var/lib/rancher/.strata-fault ] || "+
			"{ mkdir -p /var/lib/rancher && mount -t tmpfs -o size=64k strata-fault "+
			"/var/lib/rancher && touch /var/lib/rancher/.strata-fault; }",
		"if [ -e /var/lib/rancher/.strata-fault ]; then umount /var/lib/rancher; fi"),
	{
		Name: "hung", About: "the machine is frozen: it has its address and answers nothing",
		Inject: []string{"pause", machineArgument}, Clear: []string{"resume", machineArgument},
	},
	inside("port-taken", "something else listens on 6443; before K3s is installed",
		"systemctl -q is-active strata-fault-port || "+
			"systemd-run -q --collect --unit strata-fault-port systemd-socket-activate --accept --listen 6443 /bin/cat",
		"if systemctl -q is-active strata-fault-port; then systemctl stop strata-fault-port; fi"),
	inside("slow-boot", "from the next boot on cloud-init takes a minute longer",
		"mkdir -p /etc/systemd/system/cloud-final.service.d && "+
			"printf '[Service]\\nExecStartPre=/bin/sleep 60\\n' > "+
			"/etc/systemd/system/cloud-final.service.d/strata-fault.conf",
		"rm -f /etc/systemd/system/cloud-final.service.d/strata-fault.conf"),
	firewall("ssh-refused", "the SSH port answers with a reset",
		"INPUT -p tcp --dport 22 -j REJECT --reject-with tcp-reset"),
	firewall("ssh-silent", "the SSH port swallows packets", "INPUT -p tcp --dport 22 -j DROP"),
	// A Pod of this machine is reached by OUTPUT from its own API server and by FORWARD from
	// another machine's.
	inside("webhook-silent", "calls from and through the machine to a webhook's port (9443) get "+
		"no answer: slow, until cleared",
		insert("OUTPUT -p tcp --dport 9443 -j DROP")+" && "+insert("FORWARD -p tcp --dport 9443 -j DROP"),
		remove("OUTPUT -p tcp --dport 9443 -j DROP")+" && "+remove("FORWARD -p tcp --dport 9443 -j DROP")),
}

// machineArgument stands for the machine's name in a kind's arguments.
const machineArgument = "MACHINE"

// Find returns the kind of that name.
func Find(name string) (Kind, error) {
	var names []string
	for _, kind := range Kinds {
		if kind.Name == name {
			return kind, nil
		}
		names = append(names, kind.Name)
	}
	return Kind{}, fmt.Errorf("no fault is called %q; expected one of %s", name, strings.Join(names, ", "))
}

// inside returns a fault made by a shell command in the machine.
func inside(name, about, inject, heal string) Kind {
	shell := func(text string) []string { return []string{"exec", machineArgument, "--", "sh", "-euc", text} }
	return Kind{Name: name, About: about, Inject: shell(inject), Clear: shell(heal)}
}

// firewall returns a fault made by one rule of the machine's packet filter.
func firewall(name, about, rule string) Kind { return inside(name, about, insert(rule), remove(rule)) }

// mark is the comment that tells our rules from the machine's own.
const mark = " -m comment --comment strata-fault"

// insert puts a rule first, unless it exists.
func insert(rule string) string {
	chain, match, _ := strings.Cut(rule, " ")
	return fmt.Sprintf("{ iptables -w -C %[1]s 2>/dev/null || iptables -w -I %[1]s; }", chain+mark+" "+match)
}

// remove deletes the rule, if it exists.
func remove(rule string) string {
	chain, match, _ := strings.Cut(rule, " ")
	return fmt.Sprintf("if iptables -w -C %[1]s 2>/dev/null; then iptables -w -D %[1]s; fi", chain+mark+" "+match)
}

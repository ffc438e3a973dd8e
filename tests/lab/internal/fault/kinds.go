package fault

import (
	"fmt"
	"strings"
)

// Kind is a kind of fault.
type Kind struct {
	// Name is the fault's name on the command line.
	Name string
	// About describes the effect of the fault as seen from outside the machine.
	About string
	// Inject and Clear are arguments of `lab machines`. machineArgument stands for the machine's
	// name.
	Inject, Clear []string
}

// Kinds are all kinds of faults, sorted by name.
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
	// The API server reaches a Pod on its own machine through OUTPUT, and the other machines' API
	// servers reach it through FORWARD.
	inside("webhook-silent", "calls from and through the machine to a webhook's port (9443) get "+
		"no answer: slow, until cleared",
		insert("OUTPUT -p tcp --dport 9443 -j DROP")+" && "+insert("FORWARD -p tcp --dport 9443 -j DROP"),
		remove("OUTPUT -p tcp --dport 9443 -j DROP")+" && "+remove("FORWARD -p tcp --dport 9443 -j DROP")),
}

// machineArgument is the placeholder for the machine's name.
const machineArgument = "MACHINE"

// Find returns the kind with a name. Its error lists the known kinds.
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

// inside returns a fault that a shell script inside the machine injects and clears.
func inside(name, about, inject, heal string) Kind {
	shell := func(text string) []string { return []string{"exec", machineArgument, "--", "sh", "-euc", text} }
	return Kind{Name: name, About: about, Inject: shell(inject), Clear: shell(heal)}
}

// firewall returns a fault that consists of one iptables rule in the machine.
func firewall(name, about, rule string) Kind { return inside(name, about, insert(rule), remove(rule)) }

// mark is the comment that distinguishes a fault's rules from other rules of the machine.
const mark = " -m comment --comment strata-fault"

// insert returns the shell command that puts a rule at the start of its chain, unless it exists.
func insert(rule string) string {
	chain, match, _ := strings.Cut(rule, " ")
	return fmt.Sprintf("{ iptables -w -C %[1]s 2>/dev/null || iptables -w -I %[1]s; }", chain+mark+" "+match)
}

// remove returns the shell command that deletes a rule, if it exists.
func remove(rule string) string {
	chain, match, _ := strings.Cut(rule, " ")
	return fmt.Sprintf("if iptables -w -C %[1]s 2>/dev/null; then iptables -w -D %[1]s; fi", chain+mark+" "+match)
}

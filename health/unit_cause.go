package health

import (
	"fmt"
	"regexp"
	"strings"
)

// unitCause is a line of K3s's log whose meaning is known.
type unitCause struct {
	match *regexp.Regexp
	// state is Stuck where only a change helps, and Waiting where K3s itself tries until it works.
	state State
	cause string
	// hint is the fix; %[1]s is the host's name, %[2]s its unit.
	hint string
	// again is true for what the next start may cure by itself; it is believed after a restart.
	again bool
}

// insistSeconds is for how long K3s must repeat a complaint that did not end it: while a server starts, it may refuse
// credentials and passwords that it cannot check yet.
const insistSeconds = 10

// unitCauses are tried from top to bottom on each line, the newest line first. The words are K3s's (pkg/daemons, pkg/agent,
// pkg/cluster, pkg/configfilearg), systemd's and etcd's.
var unitCauses = []unitCause{
	{regexp.MustCompile(`(?i)too many learner members|etcdserver: (re-)?configuration change|unhealthy cluster|not yet been promoted from learner`), Waiting,
		"etcd takes one new member at a time and this one has to wait", "", false},
	{regexp.MustCompile(`(?i)etcdserver: (request timed out|leader changed|no leader)`), Waiting,
		"etcd has no leader for now", "", false},
	{regexp.MustCompile(`(?i)token CA hash does not match`), Stuck,
		"the token belongs to another cluster: its CA hash is not the one of the server that answers",
		"check that the servers' addresses in strata:hosts are this cluster's; a host that was in another cluster needs its uninstall script first", false},
	{regexp.MustCompile(`(?i)(token|credentials).*(401|unauthorized|not authorized)|401 Unauthorized|bootstrap data already found and encrypted with different token|invalid token|failed to (validate|normalize).*token|token is not valid`), Stuck,
		"wrong token", "the cluster's token is not the one in /etc/rancher/k3s/config.yaml of %[1]s; a host that was in another cluster needs its uninstall script first", false},
	{regexp.MustCompile(`(?i)node password rejected|unable to verify password for node`), Stuck,
		"the node's name is taken: a node of this name registered with another password (k3s-io/k3s#802)",
		"if %[1]s was reinstalled: kubectl delete node %[1]s; kubectl -n kube-system delete secret %[1]s.node-password.k3s; otherwise give one of the two hosts another name", false},
	{regexp.MustCompile(`(?i)(bind: )?address already in use`), Stuck,
		"a port that K3s needs is held by another program", "on %[1]s: ss -ltnp, stop what listens on 6443, 2379, 2380 or 10250, then systemctl restart %[2]s", true},
	{regexp.MustCompile(`(?i)flag provided but not defined|unknown (flag|key|option)|invalid (argument|value).*flag|no such flag`), Stuck,
		"K3s does not know a key of its configuration", "correct the key in strata:k3s.serverArgs or agentArgs; /etc/rancher/k3s/config.yaml on %[1]s is written from it", false},
	{regexp.MustCompile(`(?i)(error (converting|parsing|unmarshaling)|failed to (parse|load|read)).*(config\.yaml|yaml)|yaml: line`), Stuck,
		"config.yaml cannot be read", "look at /etc/rancher/k3s/config.yaml on %[1]s and correct strata:k3s", false},
	{regexp.MustCompile(`(?i)critical configuration (value )?mismatch`), Stuck,
		"a setting that must be the same on all servers differs", "take the difference out of strata:k3s.serverArgs; it cannot be changed on one server alone", false},
	{regexp.MustCompile(`(?i)failed to find memory cgroup|cgroup.*memory.*not (enabled|found|available)`), Stuck,
		"the kernel's memory cgroup is off", "on %[1]s: add cgroup_enable=memory cgroup_memory=1 to the kernel's command line and reboot", false},
	{regexp.MustCompile(`(?i)no space left on device`), Stuck, "the disk is full", "on %[1]s: df -h /var/lib/rancher, free some space, then systemctl restart %[2]s", false},
	{regexp.MustCompile(`(?i)no default routes? found|unable to select an IP`), Stuck,
		"the host has no default route", "on %[1]s: ip route; K3s chooses its address by the default route", false},
	{regexp.MustCompile(`(?i)x509: certificate (has expired or is not yet valid)|certificate.*not yet valid`), Stuck,
		"a certificate is not valid now: the host's clock is wrong, or it expired", "on %[1]s: timedatectl; for expired ones: k3s certificate rotate", false},
	{regexp.MustCompile(`(?i)cannot execute|exec format error|permission denied.*k3s`), Stuck,
		"/usr/local/bin/k3s cannot be executed: wrong architecture, or mounted noexec", "on %[1]s: file /usr/local/bin/k3s; uname -m", false},
	{regexp.MustCompile(`(?i)duplicate (hostname|node name)|member.*already (exists|added)|duplicate node name found`), Stuck,
		"etcd has a member of this name", "kubectl delete node %[1]s on another server, which removes the etcd member, then systemctl restart %[2]s", false},
	{regexp.MustCompile(`(?i)connection refused|no route to host|i/o timeout|network is unreachable|failed to (get CA certs|retrieve|contact|connect)|context deadline exceeded`), Waiting,
		"a server that this node joins through does not answer", "curl -k https://<server>:6443/ping from %[1]s; check the firewall between the hosts", false},
}

// execFailed is systemd's exit status for a program that it could not start.
const execFailed = 203

// explainUnit adds what is known about why a unit is not running.
func explainUnit(host Host, f unitFacts, v Verdict) Verdict {
	if f.Status == execFailed {
		v.State, v.Cause = Stuck, "systemd cannot start /usr/local/bin/k3s: it is missing or not executable"
		v.Hint = fmt.Sprintf("run pulumi up again to push it; on %s: ls -l /usr/local/bin/k3s", host.Name)
		return v
	}
	if known, line, ok := knownCause(f.Log); ok {
		v.Cause = known.cause
		if known.hint != "" {
			v.Hint = fillHint(known.hint, host)
		}
		if known.state == Stuck && (!known.again || f.Restarts > 0) && (ended(line) || f.Seconds >= insistSeconds) {
			v.State = Stuck
		}
		return v
	}
	if f.Restarts >= manyRestarts && len(f.Log) > 0 {
		v.State, v.Cause = Stuck, "K3s starts and ends again and again: "+shortLine(f.Log[len(f.Log)-1])
	}
	return v
}

// ended reports whether a line is the last one of a K3s that gave up.
func ended(line string) bool {
	return strings.Contains(line, "level=fatal") || strings.HasPrefix(line, "Error: ") || strings.HasPrefix(line, "Incorrect Usage")
}

// knownCause finds the newest line whose meaning is known; one that only a change helps goes before one that waiting cures.
func knownCause(log []string) (unitCause, string, bool) {
	var found unitCause
	var at string
	for i := len(log) - 1; i >= 0; i-- {
		for _, cause := range unitCauses {
			if !cause.match.MatchString(log[i]) {
				continue
			}
			if cause.state == Stuck {
				return cause, log[i], true
			}
			if found.match == nil {
				found, at = cause, log[i]
			}
			break
		}
	}
	return found, at, found.match != nil
}

// fillHint puts the host's name and unit into a hint.
func fillHint(hint string, host Host) string {
	return strings.NewReplacer("%[1]s", host.Name, "%[2]s", unitName(host)).Replace(hint)
}

// logrusMessage is the message of a logrus line, the form of K3s's own lines.
var logrusMessage = regexp.MustCompile(`msg="((?:[^"\\]|\\.)*)"`)

// shortLine is a log line without its time and other numbers that change on each attempt.
func shortLine(line string) string {
	if match := logrusMessage.FindStringSubmatch(line); match != nil {
		line = strings.ReplaceAll(match[1], `\"`, `"`)
	}
	if short := []rune(line); len(short) > 240 {
		line = string(short[:240]) + "…"
	}
	return oneLine(line)
}

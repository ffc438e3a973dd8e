package host

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"strata/health"
)

// unitCause explains log lines of K3s that match a pattern.
type unitCause struct {
	match *regexp.Regexp
	// state is Stuck if only a change helps, and Waiting if K3s retries until it works.
	state health.State
	cause string
	// hint is the fix; %[1]s is the host's name, %[2]s its unit.
	hint string
	// belief says when a matching line makes the verdict Stuck; it only counts if state is Stuck.
	belief belief
}

// belief says when a log line proves that only a change helps.
type belief int

const (
	// atOnce: K3s exited because of the fault, or has logged it for insistSeconds.
	atOnce belief = iota
	// afterRestart: as atOnce, but not during the first start, because a restart may cure the
	// fault.
	afterRestart
	// repeated: a server has refused K3s for insistSeconds, and the API of its join server was up
	// all the time. A server that is starting refuses every node, so one refusal proves nothing.
	repeated
)

// insistSeconds is the number of seconds for which K3s must log a fault until the verdict is Stuck.
// An agent retries after 5 to 10 s (pkg/agent/config/config.go, Get), and systemd restarts a server
// after 5 s. By then, each has been refused about three times. The gate still names the cause
// within 30 s.
const insistSeconds = 10

// These causes have names because several parts of this package use them.
const (
	causeToken    = "wrong token"
	causeStarting = "the server that this node joins through is still starting"
	causeMismatch = "a setting that must be the same on all servers differs"
)

// tokenHint is the fix of a wrong token.
const tokenHint = "the cluster's token is not the one in /etc/rancher/k3s/config.yaml (or a file of config.yaml.d) of %[1]s; correct it, then systemctl restart %[2]s; a host that was in another cluster needs its uninstall script first"

// unitCauses are matched from top to bottom against each log line, the newest line first. The
// messages are K3s's (pkg/daemons, pkg/agent, pkg/cluster, pkg/configfilearg), systemd's and
// etcd's.
var unitCauses = []unitCause{
	{regexp.MustCompile(`(?i)too many learner members|etcdserver: (re-)?configuration change|unhealthy cluster|not yet been promoted from learner`), health.Waiting,
		"etcd takes one new member at a time and this one has to wait", "", atOnce},
	{regexp.MustCompile(`(?i)etcdserver: (request timed out|leader changed|no leader)`), health.Waiting,
		"etcd has no leader for now", "", atOnce},
	{regexp.MustCompile(`(?i)token CA hash does not match`), health.Stuck,
		"the token's CA hash is not the one of the server that answers: it is of another cluster, " +
			"or of before k3s certificate rotate-ca",
		"check that the servers' addresses in strata:hosts are this cluster's; a host that was in " +
			"another cluster needs its uninstall script first; after rotate-ca: pulumi up --replace " +
			"with the URN of k3s-ca-hash", atOnce},
	{regexp.MustCompile(`(?i)(bootstrap cluster data|retrieve (agent )?configuration|token|credentials).*(401|unauthorized|not authorized)|401 Unauthorized`), health.Stuck,
		causeToken, tokenHint, repeated},
	{regexp.MustCompile(`(?i)bootstrap data already found and encrypted with different token|invalid token|failed to normalize.*token|token is not valid|token (is required|must not be empty)`), health.Stuck,
		causeToken, tokenHint, atOnce},
	{regexp.MustCompile(`(?i)node password rejected|unable to verify password for node`), health.Stuck,
		"the node's name is taken: a node of this name registered with another password (k3s-io/k3s#802)",
		"if %[1]s was reinstalled: kubectl delete node %[1]s; kubectl -n kube-system delete secret %[1]s.node-password.k3s; otherwise give one of the two hosts another name", repeated},
	{regexp.MustCompile(`(?i)configured to not run on a host using cgroup v1`), health.Stuck,
		"the kubelet of this K3s refuses cgroup v1, which the host runs on",
		"boot %[1]s with cgroup v2 (systemd.unified_cgroup_hierarchy=1 on the kernel's command line), or stay on K3s v1.34", atOnce},
	{regexp.MustCompile(`(?i)(bind: )?address already in use`), health.Stuck,
		"a port that K3s needs is held by another program", "on %[1]s: ss -ltnp, stop what listens on 6443, 2379, 2380 or 10250, then systemctl restart %[2]s", afterRestart},
	{regexp.MustCompile(`(?i)flag provided but not defined|unknown (flag|key|option)|invalid (argument|value).*flag|no such flag`), health.Stuck,
		"K3s does not know a key of its configuration",
		"correct the key in strata:k3s.serverArgs or agentArgs; one that is in neither was put into a file of /etc/rancher/k3s on %[1]s by hand: take it out, then systemctl restart %[2]s", atOnce},
	{regexp.MustCompile(`(?i)(error (converting|parsing|unmarshaling)|failed to (parse|load|read)).*(config\.yaml|yaml)|yaml: line`), health.Stuck,
		"config.yaml cannot be read", "look at /etc/rancher/k3s/config.yaml on %[1]s and correct strata:k3s", atOnce},
	{regexp.MustCompile(`(?i)critical configuration (value )?mismatch`), health.Stuck,
		causeMismatch, "take the difference out of strata:k3s.serverArgs; it cannot be changed on one server alone", atOnce},
	{regexp.MustCompile(`(?i)failed to find memory cgroup|cgroup.*memory.*not (enabled|found|available)`), health.Stuck,
		"the kernel's memory cgroup is off", "on %[1]s: add cgroup_enable=memory cgroup_memory=1 to the kernel's command line and reboot", atOnce},
	{regexp.MustCompile(`(?i)no space left on device`), health.Stuck, "the disk is full", "on %[1]s: df -h /var/lib/rancher, free some space, then systemctl restart %[2]s", atOnce},
	{regexp.MustCompile(`(?i)no default routes? found|unable to select an IP`), health.Stuck,
		"the host has no default route", "on %[1]s: ip route; K3s chooses its address by the default route", atOnce},
	{regexp.MustCompile(`(?i)x509: certificate (has expired or is not yet valid)|certificate.*not yet valid`), health.Stuck,
		"a certificate is not valid now: the host's clock is wrong, or it expired", "on %[1]s: timedatectl; for expired ones: k3s certificate rotate", atOnce},
	{regexp.MustCompile(`(?i)cannot execute|exec format error|permission denied.*k3s`), health.Stuck,
		"/usr/local/bin/k3s cannot be executed: wrong architecture, or mounted noexec", "on %[1]s: file /usr/local/bin/k3s; uname -m", atOnce},
	{regexp.MustCompile(`(?i)duplicate (hostname|node name)|member.*already (exists|added)|duplicate node name found`), health.Stuck,
		"etcd has a member of this name", "kubectl delete node %[1]s on another server, which removes the etcd member, then systemctl restart %[2]s", atOnce},
	{regexp.MustCompile(`(?i)server is not ready:.*(apiserver not ready|runtime core not ready|starting|503 )|retrieve etcd cluster member list`), health.Waiting,
		causeStarting, "", atOnce},
	{regexp.MustCompile(`(?i)connection refused|no route to host|i/o timeout|network is unreachable|failed to (get CA certs|retrieve|contact|connect)|context deadline exceeded`), health.Waiting,
		"a server that this node joins through does not answer", "curl -k https://<server>:6443/ping from %[1]s; check the firewall between the hosts", atOnce},
}

// execFailed is systemd's exit status for a program that it could not start.
const execFailed = 203

// results explains those values of a unit's Result (systemd.exec(5), $SERVICE_RESULT) that name the
// cause without K3s's log.
var results = map[string]struct{ cause, hint string }{
	"oom-kill":        {"the kernel killed K3s because the host's memory is used up", "on %[1]s: journalctl -k -g oom -n 5; free -m; give the host more memory, or run less on it"},
	"signal":          {"K3s was killed by a signal, and not by systemd", "on %[1]s: journalctl _PID=1 -u %[2]s -n 5; journalctl -k -g oom -n 5"},
	"watchdog":        {"K3s hung, and systemd killed it", "on %[1]s: journalctl -u %[2]s -e"},
	"start-limit-hit": {"K3s ended too often, and systemd has given up on it", "on %[1]s: journalctl -u %[2]s -e; then systemctl reset-failed %[2]s; systemctl start %[2]s"},
}

// alarms explains etcd's alarms (etcd docs, maintenance).
var alarms = map[string]struct{ cause, hint string }{
	"NOSPACE": {
		"etcd's database has reached its quota: the cluster can be read, and takes no writes",
		"docs/troubleshooting.md has the commands: delete what fills it, defragment every member, disarm the alarm; or raise quota-backend-bytes by etcd-arg",
	},
	"CORRUPT": {"etcd's members hold different data", "strata restore a snapshot of before; see strata restore --help"},
}

// explainUnit adds the cause and the fix to the verdict on a unit that is not running, if they are
// known. It sets Stuck if waiting does not help.
func explainUnit(host health.Host, f UnitFacts, v health.Verdict) health.Verdict {
	if f.Status == execFailed {
		v.State, v.Cause = health.Stuck, "systemd cannot start /usr/local/bin/k3s: it is missing or not executable"
		v.Hint = fmt.Sprintf("run pulumi up again to push it; on %s: ls -l /usr/local/bin/k3s", host.Name)
		return v
	}
	if why, known := results[f.Result]; known {
		v.Cause, v.Hint = why.cause, fillHint(why.hint, host)
		return v
	}
	if known, line, ok := knownCause(f.Log); ok {
		if known.belief == repeated && f.joinsInVain() {
			v.Cause = causeStarting
			return v
		}
		v.Cause = known.words(f.Log)
		if known.hint != "" {
			v.Hint = fillHint(known.hint, host)
		}
		if known.isConclusive(f, line) {
			v.State = health.Stuck
		}
		return v
	}
	if why := lastComplaint(f.Log); f.Restarts >= manyRestarts && why != "" {
		v.State, v.Cause = health.Stuck, "K3s starts and ends again and again: "+shortLine(why)
	}
	return v
}

// isConclusive reports whether the log line proves that only a change helps (see belief).
func (c unitCause) isConclusive(f UnitFacts, line string) bool {
	switch {
	case c.state != health.Stuck:
		return false
	case c.belief == repeated:
		return f.Seconds >= insistSeconds
	case c.belief == afterRestart && f.Restarts <= 0:
		return false
	}
	return isFatalLine(line) || f.Seconds >= insistSeconds
}

// joinsInVain reports whether the node's join server cannot serve yet, so that it refuses every
// node. While its API is down, a K3s server answers 503 to everything except /ping and its own
// paths. Once its API is up, it answers 401 to a request without credentials
// (pkg/server/handlers/handlers.go).
func (f UnitFacts) joinsInVain() bool { return f.Join == "000" || strings.HasPrefix(f.Join, "5") }

// differing matches a warning of K3s that names a setting (pkg/cluster/bootstrap.go,
// compareConfig). The error with which K3s then exits names no setting.
var differing = regexp.MustCompile(`critical configuration mismatched: ([^"\s]+)`)

// words returns the cause. For causeMismatch, it adds the settings that the log names.
func (c unitCause) words(log []string) string {
	if c.cause != causeMismatch {
		return c.cause
	}
	var names []string
	for _, line := range log {
		if found := differing.FindStringSubmatch(line); found != nil && !slices.Contains(names, found[1]) {
			names = append(names, found[1])
		}
	}
	if len(names) == 0 {
		return c.cause
	}
	return c.cause + ": " + strings.Join(names, ", ")
}

// isFatalLine reports whether K3s exits after it has logged the line. A K3s that shuts itself down
// has exit code 0 (pkg/signals/signals.go), so only its log shows the failure.
func isFatalLine(line string) bool {
	return strings.Contains(line, "level=fatal") || strings.HasPrefix(line, "Error: ") || strings.HasPrefix(line, "Incorrect Usage") ||
		strings.Contains(line, `level=error msg="Shutdown request received: `)
}

// lastComplaint returns the newest line above level info; empty without one.
func lastComplaint(log []string) string {
	for i := len(log) - 1; i >= 0; i-- {
		if !strings.Contains(log[i], "level=info") {
			return log[i]
		}
	}
	return ""
}

// knownCause returns the cause and the newest log line that matches one; false if none does. It
// prefers a cause that needs a change to one that waiting cures. A server's refusal is the
// exception: any known line after the refusal shows that the refusal is over.
func knownCause(log []string) (unitCause, string, bool) {
	var found unitCause
	var at string
	for i := len(log) - 1; i >= 0; i-- {
		for _, cause := range unitCauses {
			if !cause.match.MatchString(log[i]) {
				continue
			}
			if cause.state == health.Stuck && (cause.belief != repeated || found.match == nil) {
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
func fillHint(hint string, host health.Host) string {
	return strings.NewReplacer("%[1]s", host.Name, "%[2]s", UnitName(host)).Replace(hint)
}

// logrusMessage matches the message in a line of logrus, which K3s logs with.
var logrusMessage = regexp.MustCompile(`msg="((?:[^"\\]|\\.)*)"`)

// shortLine returns the message of a K3s log line, without the time, which changes on each attempt.
// It has at most 240 characters.
func shortLine(line string) string {
	if match := logrusMessage.FindStringSubmatch(line); match != nil {
		line = strings.ReplaceAll(match[1], `\"`, `"`)
	}
	if short := []rune(line); len(short) > 240 {
		line = string(short[:240]) + "…"
	}
	return health.OneLine(line)
}

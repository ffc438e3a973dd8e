package host

import (
	"context"
	"fmt"
	"strings"
	"time"

	"strata/config"
	"strata/health"
	"strata/health/observe"
	"strata/internal/k3shost"
)

// UnitCheck returns the name of the check of a host's K3s unit. The host's Node cannot be Ready if
// this check fails.
func UnitCheck(host health.Host) string { return "unit " + host.Name }

// UnitName returns the name of the K3s unit for a host's role, without .service.
func UnitName(host health.Host) string { return config.Role(host.Role).Unit() }

// UnitFacts describes a host's K3s unit.
type UnitFacts struct {
	// Fault says why SSH to the host failed. Everything else is empty then.
	Fault error `json:"-"`
	// Seen is false before the first observation.
	Seen bool `json:"seen"`
	// Load, Active, Sub and Result are systemd's LoadState, ActiveState, SubState and Result.
	Load   string `json:"load,omitempty"`
	Active string `json:"active,omitempty"`
	Sub    string `json:"sub,omitempty"`
	Result string `json:"result,omitempty"`
	// Restart is the unit's setting Restart=, which is "always" in K3s's own unit.
	Restart string `json:"restart,omitempty"`
	// Status is the exit status of the main process. Restarts counts the restarts by systemd.
	Status   int `json:"status,omitempty"`
	Restarts int `json:"restarts,omitempty"`
	// Queued is true while systemd has a start, stop or restart of the unit queued. Active and Sub
	// will then change soon.
	Queued bool `json:"queued,omitempty"`
	// Stable is true once the unit has been active for longer than systemd waits before a restart.
	Stable bool `json:"stable,omitempty"`
	// Disabled is true if systemd does not start the unit at boot.
	Disabled bool `json:"disabled,omitempty"`
	// Skipped are the keys of the server's configuration that K3s ignored because it does not know
	// them.
	Skipped []string `json:"skipped,omitempty"`
	// Undone are the sysctls that K3s set to 1 at its start and that are 0 now, in the form
	// net/ipv4/ip_forward.
	Undone []string `json:"undone,omitempty"`
	// Unpersisted are K3s's kernel modules that no file of modules-load.d loads at boot.
	Unpersisted []string `json:"unpersisted,omitempty"`
	// Routes are the host's IPv4 routes in CIDR notation, without the default route. They are only
	// read for the gate of the Nodes.
	Routes []string `json:"routes,omitempty"`
	// Tunnel is true if flannel has a device of its own (VXLAN or WireGuard). The device has the
	// first address of the host's Pod CIDR.
	Tunnel bool `json:"tunnel,omitempty"`
	// Seconds is the number of seconds for which the log has shown the same known cause. If a
	// server refuses K3s, it is the time from the first refusal to the last.
	Seconds int `json:"seconds,omitempty"`
	// Certificate is the file of K3s's own certificate that expires first, at CertificateEnds.
	// Ending is true if it is so close to expiry that a restart renews it.
	Certificate     string    `json:"certificate,omitempty"`
	CertificateEnds time.Time `json:"certificateEnds,omitzero"`
	Ending          bool      `json:"ending,omitempty"`
	// Alarm is the active alarm of a server's etcd, NOSPACE or CORRUPT; empty if there is none.
	Alarm string `json:"alarm,omitempty"`
	// Join is the HTTP status with which this node's join server answers a request without
	// credentials; 000 means no answer. It is empty if the server refused nothing, or if this node
	// joins no server.
	Join string `json:"join,omitempty"`
	// Log has the lines of the current start above level info, and the info lines about the join
	// and the images, oldest first. It is empty while the unit is active.
	Log []string `json:"log,omitempty"`
}

// manyRestarts is a number of restarts that a normal start of a cluster does not reach.
const manyRestarts = 5

// ObserveUnit reports the K3s unit of one host over one SSH session until ctx ends, each time it
// may have changed. If routes is set, the report has the host's routes and flannel's tunnel as
// well.
func ObserveUnit(
	ctx context.Context, host health.Host, key []byte, routes bool, report func(UnitFacts),
) {
	settings := map[string]string{"unit": UnitName(host), "routes": ""}
	if routes {
		settings["routes"] = "yes"
	}
	script := WithSettings(unitScript, settings)
	complaint := complaint{stable: observe.NewStable(time.Now)}
	take := func(b Block) {
		facts := unitFactsOf(b, time.Now())
		facts.Seconds = complaint.seconds(facts)
		report(facts)
	}
	Stream(ctx, host, key, script, take, func(err error) { report(UnitFacts{Fault: err}) })
}

func unitFactsOf(b Block, now time.Time) UnitFacts {
	first, some := k3shost.First(b["certificate"])
	return UnitFacts{
		Certificate: first.File, CertificateEnds: first.Ends, Ending: some &&
			first.Ends.Sub(now) < k3shost.RenewWithin,
		Seen: true, Load: b.Get("LoadState"), Active: b.Get("ActiveState"), Sub: b.Get("SubState"),
		Result:  b.Get("Result"),
		Restart: b.Get("Restart"), Status: b.number("ExecMainStatus"),
		Restarts: b.number("NRestarts"), Stable: b.Get("stable") == "yes",
		Queued:   b.number("Job") > 0 && b.Get("SubState") != "start",
		Disabled: b.Get("UnitFileState") == "disabled", Skipped: b["skipped"], Undone: b["undone"],
		Unpersisted: b["unpersisted"],
		Routes:      routesOf(b["route"]), Tunnel: b.Get("tunnel") == "yes", Join: b.Get("join"),
		Alarm: b.Get("alarm"), Log: b["log"],
	}
}

// JudgeUnit judges whether a host's K3s unit runs. If not, it names the cause, and is Stuck if
// waiting does not help. The unit has Type=notify, so active means that K3s itself has reported
// that it is up. After a restart, the unit must also stay active for longer than systemd's pause
// before a restart.
func JudgeUnit(host health.Host, f UnitFacts) health.Verdict {
	unit := UnitName(host)
	v := health.Verdict{Check: UnitCheck(host), State: health.Waiting,
		Message: unit + " not observed yet"}
	switch {
	case f.Fault != nil:
		return reach(v.Check, host, f.Fault)
	case !f.Seen:
		return v
	case f.Load == "not-found" || f.Load == "masked":
		v.Message = fmt.Sprintf("expected %s.service, it is %s", unit, f.Load)
		v.Hint = "run pulumi up again to install K3s on " + host.Name
		return v
	case f.Queued || f.Active == "deactivating":
		v.Message = fmt.Sprintf("a start or stop of %s is under way, found %s (%s)", unit,
			f.Active, f.Sub)
		return v
	case f.Active == "active" && f.Sub == "running":
		return judgeRunning(host, f, v)
	}
	v.Message = fmt.Sprintf("expected %s active (running), found %s (%s)%s", unit, f.Active, f.Sub,
		restartsText(f.Restarts))
	v.Hint = fmt.Sprintf("on %s: journalctl -u %s -e", host.Name, unit)
	if archive := imports(f.Log); archive != "" {
		v.Message += ", imports images of " + archive
	}
	if f.isStopped() {
		return stoppedUnit(host, v)
	}
	v = explainUnit(host, f, v)
	v.Evidence = logEvidence(unit, findCauseLines(f.Log))
	return v
}

// hasFailed reports whether the unit's main process failed.
func (f UnitFacts) hasFailed() bool { return f.Result != "" && f.Result != "success" }

// isStopped reports whether the unit was stopped on purpose, or was never started. systemd restarts
// a unit that exits by itself. A stopped unit may end as failed, as K3s does when its kubelet exits
// first (k3s-io/k3s#2624).
func (f UnitFacts) isStopped() bool {
	switch f.Result {
	case "exit-code", "signal", "core-dump", "timeout":
		return f.Active == "failed" && f.Sub == "failed" && f.Restart == "always"
	}
	return f.Active == "inactive" && !f.hasFailed()
}

// stoppedUnit completes the verdict on a stopped unit. It omits K3s's log, which is older than the
// stop.
func stoppedUnit(host health.Host, v health.Verdict) health.Verdict {
	v.Cause = UnitName(host) + " was stopped, or nothing has started it; systemd does not start " +
		"it by itself before the next boot"
	v.Hint = fmt.Sprintf("on %s: systemctl start %s; who stopped it: journalctl _PID=1 -u %s -n 5",
		host.Name, UnitName(host), UnitName(host))
	return v
}

func judgeRunning(host health.Host, f UnitFacts, v health.Verdict) health.Verdict {
	if f.Restarts > 0 && !f.Stable {
		v.Message = fmt.Sprintf("%s has just come back%s", UnitName(host), restartsText(f.Restarts))
		return v
	}
	if f.Alarm != "" {
		v.Message = fmt.Sprintf("%s active (running), and etcd has raised its alarm %s",
			UnitName(host), f.Alarm)
		v.Cause, v.Hint = alarms[f.Alarm].cause, fillHint(alarms[f.Alarm].hint, host)
		return v
	}
	if len(f.Undone) > 0 {
		key := strings.ReplaceAll(f.Undone[0], "/", ".")
		v.Message = fmt.Sprintf("%s active (running), and %s is 0: what its Pods send to others is dropped",
			UnitName(host), key)
		v.Cause = "a reload of the host's sysctls undid what K3s sets at its start"
		v.Hint = fmt.Sprintf("on %s: sysctl -w %s=1; what sets it to 0: "+
			"grep -rs %s /etc/sysctl.conf /etc/sysctl.d /usr/lib/sysctl.d", host.Name, key, key)
		return v
	}
	if len(f.Skipped) > 0 {
		v.State = health.Stuck
		v.Message = fmt.Sprintf("%s active (running), and has skipped %s of its configuration",
			UnitName(host),
			strings.Join(f.Skipped, ", "))
		v.Cause = "K3s knows no key of that name: a typing mistake, or a key of another version"
		v.Hint = fmt.Sprintf("correct strata:k3s.serverArgs; on %s, k3s server --help has the "+
			"names; an option of the API server "+
			"is written as kube-apiserver-arg: [NAME=VALUE]; a key that is not there was put into "+
			"a file by hand: grep -rn %s /etc/rancher/k3s, take it out, then systemctl restart %s",
			host.Name, f.Skipped[0], UnitName(host))
		return v
	}
	if f.Disabled {
		v.Message = UnitName(host) + " active (running), and disabled: the node is lost at the host's next boot"
		v.Hint = fmt.Sprintf("on %s: systemctl enable %s", host.Name, UnitName(host))
		return v
	}
	v.State, v.Message = health.Ready, UnitName(host)+" active (running)"+restartsText(f.Restarts)
	if len(f.Unpersisted) > 0 {
		v.Message += "; not loaded again after a reboot: " + strings.Join(f.Unpersisted, ", ")
		v.Hint = fmt.Sprintf("on %s: put %s into /etc/modules-load.d/strata-k3s.conf", host.Name,
			strings.Join(f.Unpersisted, " and "))
	}
	if f.Certificate != "" {
		v.Ends = &f.CertificateEnds
	}
	if f.Ending {
		v.Message += fmt.Sprintf("; K3s's own %s ends at %s", f.Certificate,
			f.CertificateEnds.Format(time.RFC3339))
		v.Hint = certificatesFix(host)
	}
	return v
}

// restartsText returns a restart count as text to append; empty for none. From manyRestarts on the
// text does not change, so that the verdict stays the same.
func restartsText(n int) string {
	switch {
	case n <= 0:
		return ""
	case n == 1:
		return ", 1 restart"
	case n < manyRestarts:
		return fmt.Sprintf(", %d restarts", n)
	}
	return fmt.Sprintf(", %d restarts or more", manyRestarts)
}

// logEvidence returns the lines of the journal as evidence; nil without lines.
func logEvidence(unit string, log []string) []string {
	if len(log) == 0 {
		return nil
	}
	return []string{"journalctl -u " + unit + ":\n" + strings.Join(log, "\n")}
}

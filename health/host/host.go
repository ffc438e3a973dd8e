package host

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"strings"
	"time"

	"strata/config"
	"strata/health"
)

// Facts holds the probe's observations of one host.
type Facts struct {
	// Fault says why the host could not be asked. Everything else is empty then.
	Fault error `json:"-"`
	// Seen is false before the first observation.
	Seen bool `json:"seen"`
	// Probe holds the output of probe/host.sh.
	Probe Block `json:"probe,omitempty"`
	// SkewSeconds is the host's clock minus this machine's.
	SkewSeconds int `json:"skewSeconds,omitempty"`
}

// hostWatch observes one host.
type hostWatch struct {
	host health.Host
	spec Spec
	key  []byte
}

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	if len(secrets.SSHKey) == 0 && !spec.Hosts[0].Agent {
		return nil, errors.New("STRATA_SSH_KEY: empty; the host is observed over SSH")
	}
	return &hostWatch{host: spec.Hosts[0], spec: s, key: secrets.SSHKey}, nil
}

// Run implements Watch.
func (w *hostWatch) Run(ctx context.Context, report func([]health.Verdict)) error {
	Observe(ctx, w.host, w.spec, w.key, false, func(_ Report, verdicts []health.Verdict) { report(verdicts) })
	return nil
}

// Report holds a host's description of itself, for checks that compare hosts.
type Report struct {
	Name, Hostname, MachineID, OS, Arch, Kernel string
	// Reached is true once the host was observed; Skew is only valid then.
	Reached bool
	// Skew is the host's clock minus this machine's, in whole seconds.
	Skew time.Duration
	// Probe holds all that the host said.
	Probe Block
}

// Observe observes a host until ctx ends, or with once only until its first observation or a reason
// why there will be none, and reports each observation.
func Observe(ctx context.Context, host health.Host, spec Spec, key []byte, once bool, report func(Report, []health.Verdict)) {
	ports := make([]string, len(spec.Ports))
	for i, port := range spec.Ports {
		ports[i] = strconv.Itoa(port)
	}
	settings := ownerSettings(spec)
	maps.Copy(settings, map[string]string{"modules": strings.Join(spec.Modules, " "), "ports": strings.Join(ports, " "), "programs": strings.Join(spec.Programs, " "), "once": "", "fixed": strings.Join(config.FixedKeys(), " ")})
	if once {
		settings["once"] = "yes"
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	take := func(b Block) {
		facts := Facts{Seen: true, Probe: b, SkewSeconds: b.number("time") - int(time.Now().Unix())}
		verdicts := JudgeHost(host, spec, facts)
		if once {
			verdicts = append(verdicts, judgeCertificates(host, b, time.Now()))
		}
		report(hostReport(host, facts), verdicts)
		if once {
			stop()
		}
	}
	trouble := func(err error) {
		facts := Facts{Fault: err}
		verdicts := JudgeHost(host, spec, facts)
		report(hostReport(host, facts), verdicts)
		if once && health.StateOf(verdicts) == health.Stuck {
			stop()
		}
	}
	Stream(ctx, host, key, WithSettings(hostScript, settings), take, trouble)
}

func hostReport(host health.Host, f Facts) Report {
	return Report{
		Name: host.Name, Hostname: f.Probe.Get("hostname"), MachineID: f.Probe.Get("machine_id"), OS: f.Probe.Get("os"),
		Arch: f.Probe.Get("arch"), Kernel: f.Probe.Get("kernel"), Reached: f.Seen,
		Skew: time.Duration(f.SkewSeconds) * time.Second, Probe: f.Probe,
	}
}

// hostCheck is one check of a host, in the order in which they are listed.
type hostCheck struct {
	name  string
	judge func(health.Host, Spec, Facts) health.Verdict
}

// hostChecks are the checks of every host; modules and ports come after them, one check each.
var hostChecks = []hostCheck{
	{"operating system", judgeOperatingSystem},
	{"cloud-init", judgeCloudInit},
	{"hostname", judgeHostname},
	{"network manager", judgeNetworkManager},
	{"default route", judgeRoute},
	{"clock", judgeClock},
	{"disk", judgeDisk},
	{"memory", judgeMemory},
	{"earlier K3s", judgeEarlierK3s},
	{"owner", judgeOwner},
	{"fixed at creation", judgeFixed},
	{"K3s version", judgeK3sVersion},
	{"cgroups", judgeCgroups},
}

// JudgeHost gives the verdicts on a host before anything is installed on it; they hold on every
// later run as well.
func JudgeHost(host health.Host, spec Spec, f Facts) []health.Verdict {
	const sshCheck = "ssh"
	verdicts := []health.Verdict{{Check: sshCheck, State: health.Ready, Message: "logged in as root, or as a user who may become root"}}
	switch {
	case f.Fault != nil:
		verdicts[0] = reach(sshCheck, host, f.Fault)
	case !f.Seen:
		verdicts[0] = health.Verdict{Check: sshCheck, State: health.Waiting, Message: "not connected yet"}
	case f.Probe.Get("uid") != "0":
		verdicts[0] = health.Verdict{Check: sshCheck, State: health.Stuck, Message: "expected to become root, found user id " + f.Probe.Get("uid"),
			Hint: "allow sudo to root without a password for the user"}
	}
	add := func(name string, judge func() health.Verdict) {
		v := health.Verdict{State: health.Waiting, Message: "not seen"}
		if f.Seen {
			v = judge()
		}
		v.Check, v.After = name, []string{sshCheck}
		verdicts = append(verdicts, v)
	}
	for _, check := range hostChecks {
		add(check.name, func() health.Verdict { return check.judge(host, spec, f) })
	}
	for _, name := range spec.Modules {
		add("module "+name, func() health.Verdict { return judgeModule(name, host, spec, f) })
	}
	for _, name := range spec.Programs {
		add("program "+name, func() health.Verdict { return judgeProgram(name, f) })
	}
	for _, port := range spec.Ports {
		add("port "+strconv.Itoa(port), func() health.Verdict { return judgePort(port, host, f) })
	}
	return verdicts
}

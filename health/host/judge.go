package host

import (
	"strconv"

	"strata/health"
)

// Facts holds the last observation of one host.
type Facts struct {
	// Fault says why SSH to the host failed. Everything else is empty then.
	Fault error `json:"-"`
	// Seen is false before the first observation.
	Seen bool `json:"seen"`
	// Probe holds the output of probe/host.sh.
	Probe Block `json:"probe,omitempty"`
	// SkewSeconds is the host's clock minus this machine's.
	SkewSeconds int `json:"skewSeconds,omitempty"`
}

// hostCheck is one check of a host and the function that judges it.
type hostCheck struct {
	name  string
	judge func(health.Host, Spec, Facts) health.Verdict
}

// hostChecks are the checks of every host, in the order of the report. The checks of modules,
// programs and ports come after them.
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

// JudgeHost returns the verdicts on a host before anything is installed on it. The checks also pass
// on later runs, when the host runs this cluster's K3s.
func JudgeHost(host health.Host, spec Spec, f Facts) []health.Verdict {
	const sshCheck = "ssh"
	verdicts := []health.Verdict{{Check: sshCheck, State: health.Ready,
		Message: "logged in as root, or as a user who may become root"}}
	switch {
	case f.Fault != nil:
		verdicts[0] = reach(sshCheck, host, f.Fault)
	case !f.Seen:
		verdicts[0] = health.Verdict{Check: sshCheck, State: health.Waiting,
			Message: "not connected yet"}
	case f.Probe.Get("uid") != "0":
		verdicts[0] = health.Verdict{Check: sshCheck, State: health.Stuck,
			Message: "expected to become root, found user id " + f.Probe.Get("uid"),
			Hint:    "allow sudo to root without a password for the user"}
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

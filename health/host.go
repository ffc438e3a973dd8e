package health

import (
	"context"
	"errors"
	"maps"
	"os"
	"strconv"
	"strings"
	"time"

	"strata/config"
)

// hostFacts is what the probe saw of one host.
type hostFacts struct {
	// Fault is why the host could not be asked. Everything else is empty then.
	Fault error `json:"-"`
	// Seen is false before the first look.
	Seen bool `json:"seen"`
	// Probe holds what probe/host.sh printed.
	Probe block `json:"probe,omitempty"`
	// Agent is why nobody answers at SSH_AUTH_SOCK; empty where somebody does, or it is not set.
	Agent string `json:"agent,omitempty"`
	// SkewSeconds is the host's clock minus this machine's.
	SkewSeconds int `json:"skewSeconds,omitempty"`
}

// hostWatch looks at one host.
type hostWatch struct {
	host Host
	spec HostSpec
	key  []byte
}

func newHost(spec Spec, secrets Secrets) (Watch, error) {
	if len(secrets.SSHKey) == 0 {
		return nil, errors.New("STRATA_SSH_KEY: empty; the host is looked at over SSH")
	}
	return &hostWatch{host: spec.Hosts[0], spec: *spec.Host, key: secrets.SSHKey}, nil
}

// Run implements Watch.
func (w *hostWatch) Run(ctx context.Context, report func([]Verdict)) error {
	ObserveHost(ctx, w.host, w.spec, w.key, false, func(_ HostReport, verdicts []Verdict) { report(verdicts) })
	return nil
}

// HostReport is what a host says about itself, for checks that compare hosts.
type HostReport struct {
	Name, Hostname, MachineID, OS, Arch, Kernel string
	// Reached is true once the host was looked at; Skew is only valid then.
	Reached bool
	// Skew is the host's clock minus this machine's, in whole seconds.
	Skew time.Duration
}

// ObserveHost looks at a host until ctx ends, or with once only until its first look or a reason why there will be none, and
// reports each look.
func ObserveHost(ctx context.Context, host Host, spec HostSpec, key []byte, once bool, report func(HostReport, []Verdict)) {
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
	agent := agentTrouble(os.Getenv(agentVariable))
	take := func(b block) {
		facts := hostFacts{Seen: true, Agent: agent, Probe: b, SkewSeconds: b.number("time") - int(time.Now().Unix())}
		verdicts := judgeHost(host, spec, facts)
		if once {
			verdicts = append(verdicts, judgeCertificates(host, b, time.Now()))
		}
		report(hostReport(host, facts), verdicts)
		if once {
			stop()
		}
	}
	trouble := func(err error) {
		facts := hostFacts{Fault: err, Agent: agent}
		verdicts := judgeHost(host, spec, facts)
		report(hostReport(host, facts), verdicts)
		if once && sum(verdicts) == Stuck {
			stop()
		}
	}
	observeHost(ctx, host, key, withSettings(hostScript, settings), take, trouble)
}

func hostReport(host Host, f hostFacts) HostReport {
	return HostReport{
		Name: host.Name, Hostname: f.Probe.get("hostname"), MachineID: f.Probe.get("machine_id"), OS: f.Probe.get("os"),
		Arch: f.Probe.get("arch"), Kernel: f.Probe.get("kernel"), Reached: f.Seen,
		Skew: time.Duration(f.SkewSeconds) * time.Second,
	}
}

// hostCheck is one check of a host, in the order in which they are listed.
type hostCheck struct {
	name  string
	judge func(Host, HostSpec, hostFacts) Verdict
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

// judgeHost gives the verdicts on a host before anything is installed on it; they hold on every later run as well.
func judgeHost(host Host, spec HostSpec, f hostFacts) []Verdict {
	const sshCheck = "ssh"
	verdicts := []Verdict{{Check: sshCheck, State: Ready, Message: "logged in as root, or as a user who may become root"}}
	switch {
	case f.Fault != nil:
		verdicts[0] = reach(sshCheck, host, f.Fault)
	case !f.Seen:
		verdicts[0] = Verdict{Check: sshCheck, State: Waiting, Message: "not connected yet"}
	case f.Probe.get("uid") != "0":
		verdicts[0] = Verdict{Check: sshCheck, State: Stuck, Message: "expected to become root, found user id " + f.Probe.get("uid"),
			Hint: "allow sudo to root without a password for the user"}
	}
	add := func(name string, judge func() Verdict) {
		v := Verdict{State: Waiting, Message: "not seen"}
		if f.Seen {
			v = judge()
		}
		v.Check, v.After = name, []string{sshCheck}
		verdicts = append(verdicts, v)
	}
	for _, check := range hostChecks {
		add(check.name, func() Verdict { return check.judge(host, spec, f) })
	}
	for _, name := range spec.Modules {
		add("module "+name, func() Verdict { return judgeModule(name, host, spec, f) })
	}
	for _, name := range spec.Programs {
		add("program "+name, func() Verdict { return judgeProgram(name, f) })
	}
	for _, port := range spec.Ports {
		add("port "+strconv.Itoa(port), func() Verdict { return judgePort(port, host, f) })
	}
	if f.Agent != "" {
		verdicts = append(verdicts, judgeAgent(f.Agent))
	}
	return verdicts
}

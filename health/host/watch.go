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

// Run implements health.Watch.
func (w *hostWatch) Run(ctx context.Context, report func([]health.Verdict)) error {
	Observe(ctx, w.host, w.spec, w.key, false,
		func(_ Report, verdicts []health.Verdict) { report(verdicts) })
	return nil
}

// Report describes a host, for checks that compare hosts.
type Report struct {
	Name, Hostname, MachineID, OS, Arch, Kernel string
	// Reached is true once the host was observed; Skew is only valid then.
	Reached bool
	// Skew is the host's clock minus this machine's, in whole seconds.
	Skew time.Duration
	// Probe holds the probe's complete output.
	Probe Block
}

// Observe observes a host until ctx ends, and reports each observation and fault. If once is set,
// it returns after the first observation, or after a fault that waiting does not cure, and the
// report includes K3s's certificates.
func Observe(ctx context.Context, host health.Host, spec Spec, key []byte, once bool,
	report func(Report, []health.Verdict)) {
	ports := make([]string, len(spec.Ports))
	for i, port := range spec.Ports {
		ports[i] = strconv.Itoa(port)
	}
	settings := ownerSettings(spec)
	maps.Copy(settings, map[string]string{"modules": strings.Join(spec.Modules, " "),
		"ports": strings.Join(ports, " "), "programs": strings.Join(spec.Programs, " "), "once": "",
		"fixed": strings.Join(config.FixedKeys(), " ")})
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
		Name: host.Name, Hostname: f.Probe.Get("hostname"), MachineID: f.Probe.Get("machine_id"),
		OS:   f.Probe.Get("os"),
		Arch: f.Probe.Get("arch"), Kernel: f.Probe.Get("kernel"), Reached: f.Seen,
		Skew: time.Duration(f.SkewSeconds) * time.Second, Probe: f.Probe,
	}
}

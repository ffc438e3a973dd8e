package host

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"strata/config"
	"strata/health"
)

// architectures are the CPU architectures of K3s's releases, as uname -m prints them.
var architectures = []string{"x86_64", "aarch64", "armv7l"}

// usedDiskMiB is the free space, in MiB, that a host with a running K3s must have. A small value is
// enough, because such a host has its images already.
const usedDiskMiB = 200

func judgeOperatingSystem(_ health.Host, _ Spec, f Facts) health.Verdict {
	v := health.Verdict{State: health.Stuck, Message: fmt.Sprintf("%s, %s, Linux %s", f.Probe.Get("os"), f.Probe.Get("arch"), f.Probe.Get("kernel"))}
	switch {
	case f.Probe.Get("systemd") != "yes":
		v.Message += "; expected systemd as init, found none"
		v.Hint = "K3s runs as a systemd unit here; use a distribution that boots with systemd"
	case !slices.Contains(architectures, f.Probe.Get("arch")):
		v.Message += "; expected one of " + strings.Join(architectures, ", ")
		v.Hint = "use a host of an architecture that K3s is released for"
	case f.Probe.Get("memory_cgroup") != "yes":
		v.Message += "; the kernel's memory cgroup is off"
		v.Cause = "the kernel's command line or configuration disables it; K3s ends with \"failed to find memory cgroup\""
		v.Hint = "add cgroup_enable=memory cgroup_memory=1 to the kernel's command line and reboot"
	case f.Probe.Get("stopping") == "yes":
		v.State = health.Waiting
		v.Message += "; it is shutting down or about to reboot"
	default:
		v.State = health.Ready
	}
	return v
}

func judgeHostname(host health.Host, spec Spec, f Facts) health.Verdict {
	name, id := f.Probe.Get("hostname"), f.Probe.Get("machine_id")
	v := health.Verdict{State: health.Stuck, Message: fmt.Sprintf("%s, machine-id %s", name, id)}
	short, _, _ := strings.Cut(name, ".")
	switch {
	case name == "" || short == "localhost" || name == "(none)":
		v.Message = fmt.Sprintf("expected a name of its own, found %q", name)
		v.Hint = "hostnamectl set-hostname " + host.Name
	case slices.Contains(spec.Peers, name) && name != host.Name:
		v.Message = fmt.Sprintf("expected a name of its own, found %s, which is another node's", name)
		v.Cause = "the host is a clone, or this address is another node's"
		v.Hint = "hostnamectl set-hostname " + host.Name
	case id == "":
		v.Message = "expected a machine-id of its own, found none"
		v.Hint = "systemd-machine-id-setup"
	default:
		v.State = health.Ready
	}
	return v
}

// judgeNetworkManager requires an active network manager of any kind. If none is enabled, the check
// is Skipped, because the kernel or a container host then configures the network.
func judgeNetworkManager(_ health.Host, _ Spec, f Facts) health.Verdict {
	var enabled, active, starting, failed []string
	for _, line := range f.Probe["manager"] {
		fields := append(strings.Fields(line), "", "")
		unit, state, file := strings.TrimSuffix(fields[0], ".service"), fields[1], fields[2]
		if strings.HasPrefix(file, "enabled") || file == "generated" {
			enabled = append(enabled, unit)
		}
		switch state {
		case "active", "reloading":
			active = append(active, unit)
		case "activating":
			starting = append(starting, unit)
		case "failed":
			failed = append(failed, unit)
		}
	}
	switch {
	case len(active) > 0:
		return health.Verdict{State: health.Ready, Message: strings.Join(active, ", ") + " active"}
	case len(starting) > 0:
		return health.Verdict{State: health.Waiting, Message: strings.Join(starting, ", ") + " is starting"}
	case len(failed) > 0:
		return health.Verdict{State: health.Stuck, Message: "expected active, found failed: " + strings.Join(failed, ", "),
			Cause: "the host will not get its network back after a reboot",
			Hint:  "systemctl status " + failed[0] + "; journalctl -b -u " + failed[0]}
	case len(enabled) > 0:
		return health.Verdict{State: health.Waiting, Message: "expected active, found enabled but not started: " + strings.Join(enabled, ", "),
			Hint: "systemctl start " + enabled[0]}
	}
	return health.Verdict{State: health.Skipped, Message: "no network manager is enabled; the network comes from outside (kernel, container host)"}
}

func judgeRoute(_ health.Host, _ Spec, f Facts) health.Verdict {
	if through := f.Probe.Get("route"); through != "" {
		return health.Verdict{State: health.Ready, Message: "through " + through}
	}
	return health.Verdict{State: health.Waiting, Message: "expected a default route, found none", Cause: "K3s chooses the node's address by it, offline too",
		Hint: "ip route add default via GATEWAY, and make it permanent in the host's network configuration"}
}

// judgeClock compares the host's clock with this machine's. Only the evidence has the seconds, so
// that the message stays the same from one observation to the next.
func judgeClock(_ health.Host, spec Spec, f Facts) health.Verdict {
	skew := time.Duration(f.SkewSeconds) * time.Second
	limit := spec.MaxClockSkew.Duration
	if skew.Abs() <= limit {
		return health.Verdict{State: health.Ready, Message: "within " + limit.String()}
	}
	v := health.Verdict{State: health.Waiting, Message: fmt.Sprintf("expected within %s of this machine's, found more (%s)", limit, aheadOrBehind(skew))}
	v.Evidence = []string{fmt.Sprintf("host's clock minus this machine's: %s; NTP synchronised: %s", skew, orUnknown(f.Probe.Get("ntp")))}
	v.Cause = "one of the two clocks is wrong: certificates and tokens would be refused"
	v.Hint = "on both: timedatectl set-ntp true, or install chrony"
	return v
}

func aheadOrBehind(d time.Duration) string {
	if d > 0 {
		return "ahead"
	}
	return "behind"
}

func orUnknown(text string) string {
	if text == "" {
		return "unknown"
	}
	return text
}

func judgeDisk(_ health.Host, spec Spec, f Facts) health.Verdict {
	free, need := f.Probe.number("disk_mib"), spec.MinDiskMiB
	if f.Probe.Get("k3s") != "" {
		need = min(need, usedDiskMiB)
	}
	if free >= need {
		return health.Verdict{State: health.Ready, Message: fmt.Sprintf("at least %d MiB free for /var/lib/rancher", need)}
	}
	return health.Verdict{State: health.Stuck, Message: fmt.Sprintf("expected %d MiB free for /var/lib/rancher, found %d MiB on %s", need, free, f.Probe.Get("disk_at")),
		Hint: "free some space or enlarge the disk"}
}

func judgeMemory(_ health.Host, spec Spec, f Facts) health.Verdict {
	if has := f.Probe.number("memory_mib"); has < spec.MinMemoryMiB {
		return health.Verdict{State: health.Stuck, Message: fmt.Sprintf("expected %d MiB, found %d MiB", spec.MinMemoryMiB, has), Hint: "give the host more memory"}
	}
	return health.Verdict{State: health.Ready, Message: f.Probe.Get("memory_mib") + " MiB"}
}

// judgeEarlierK3s is Stuck if the host has a K3s that Strata did not install: an install over it
// would change a running cluster.
func judgeEarlierK3s(_ health.Host, _ Spec, f Facts) health.Verdict {
	unit := f.Probe.Get("k3s")
	switch {
	case unit == "":
		return health.Verdict{State: health.Ready, Message: "none"}
	case f.Probe.Get("strata") == "yes":
		return health.Verdict{State: health.Ready, Message: unit + ", installed by Strata"}
	}
	script := map[string]string{"k3s": "k3s-uninstall.sh"}[unit]
	if script == "" {
		script = unit + "-uninstall.sh"
	}
	return health.Verdict{State: health.Stuck, Message: "expected none, found " + unit + " that Strata did not install",
		Cause: "the host is or was in another cluster", Hint: "if it is not needed any more: /usr/local/bin/" + script + " on the host"}
}

// judgeK3sVersion is Stuck on a downgrade or a skipped minor version, which K3s does not support.
// The check runs before anything is copied to any host.
func judgeK3sVersion(_ health.Host, spec Spec, f Facts) health.Verdict {
	found := f.Probe.Get("k3s_version")
	switch {
	case spec.K3s == "":
		return health.Verdict{State: health.Skipped, Message: "no version is expected"}
	case f.Probe.Get("strata") != "yes" || found == "":
		return health.Verdict{State: health.Ready, Message: "none yet, to be " + spec.K3s}
	case found == spec.K3s:
		return health.Verdict{State: health.Ready, Message: found}
	}
	if err := config.CheckK3sStep(found, spec.K3s); err != nil {
		what, way, _ := strings.Cut(err.Error(), "; ")
		return health.Verdict{State: health.Stuck, Message: "expected a version that K3s can go to in one step: " + what, Hint: way}
	}
	return health.Verdict{State: health.Ready, Message: found + ", to be upgraded to " + spec.K3s}
}

func judgeModule(name string, _ health.Host, spec Spec, f Facts) health.Verdict {
	if strings.HasPrefix(name, "ip_vs") && !spec.IPVS {
		return health.Verdict{State: health.Skipped, Message: "kube-proxy does not use IPVS"}
	}
	for _, line := range f.Probe["module"] {
		found, state, _ := strings.Cut(line, " ")
		if found != name {
			continue
		}
		switch state {
		case "builtin":
			return health.Verdict{State: health.Ready, Message: "built into the kernel"}
		case "loaded":
			return health.Verdict{State: health.Ready, Message: "loaded"}
		case "loadable":
			return health.Verdict{State: health.Ready, Message: "can be loaded; the install loads it, also after a reboot"}
		}
	}
	kernel := f.Probe.Get("kernel")
	return health.Verdict{State: health.Stuck, Message: fmt.Sprintf("expected %s loaded, built in or loadable, found none of it", name),
		Cause: "kernel " + kernel + " lacks it, or was replaced since the last boot",
		Hint:  "reboot after a kernel update, or install the kernel's extra modules (linux-modules-extra-" + kernel + ")"}
}

func judgeProgram(name string, f Facts) health.Verdict {
	if slices.Contains(f.Probe["program"], name) {
		return health.Verdict{State: health.Ready, Message: "installed"}
	}
	return health.Verdict{State: health.Stuck, Message: "expected " + name + " installed, found none", Hint: "install the distribution's package: apt-get install " + name}
}

// judgePort requires a port to be free or used by K3s. K3s uses the port on every run after the
// first, and the gate must then pass too.
func judgePort(port int, host health.Host, f Facts) health.Verdict {
	for _, line := range f.Probe["port"] {
		fields := append(strings.Fields(line), "", "", "")
		if fields[0] != strconv.Itoa(port) {
			continue
		}
		switch unit := fields[2]; {
		case fields[1] == "free":
			return health.Verdict{State: health.Ready, Message: "free"}
		case unit == "k3s.service" || unit == "k3s-agent.service":
			return health.Verdict{State: health.Ready, Message: "held by " + strings.TrimSuffix(unit, ".service")}
		default:
			who := strings.TrimSpace(strings.Join(fields[3:], " "))
			return health.Verdict{State: health.Stuck, Message: fmt.Sprintf("expected free or held by K3s, found held by %s (%s)", orUnknown(who), unitText(unit)),
				Hint: fmt.Sprintf("on %s: ss -ltnp 'sport = :%d'; stop it or move it to another port", host.Name, port)}
		}
	}
	return health.Verdict{State: health.Waiting, Message: "not seen"}
}

func unitText(unit string) string {
	if unit == "" || unit == "-" {
		return "no unit"
	}
	return unit
}

package host

import (
	"fmt"

	"strata/config"
	"strata/health"
)

// judgeCgroups is Stuck on a host with cgroup v1 where the kubelet would not run. The kubelet of
// Kubernetes 1.35 and later exits there, unless its option fail-cgroupv1 is false
// (https://kubernetes.io/docs/concepts/architecture/cgroups/#cgroup-v1).
func judgeCgroups(host health.Host, spec Spec, f Facts) health.Verdict {
	version := f.Probe.Get("cgroup")
	v := health.Verdict{State: health.Ready, Message: version}
	switch {
	case version == "":
		return health.Verdict{State: health.Waiting, Message: "not seen"}
	case version == "v2":
		return v
	case spec.K3s == "":
		return health.Verdict{State: health.Skipped,
			Message: version + "; no version of K3s is expected"}
	}
	refuses, err := config.RefusesCgroupV1(spec.K3s)
	switch {
	case err != nil:
		return health.Verdict{State: health.Stuck, Message: err.Error()}
	case !refuses:
		v.Message += fmt.Sprintf(", on which %s runs; v1.35 and later do not", spec.K3s)
		return v
	case spec.CgroupV1:
		v.Message += ", let in by the kubelet's fail-cgroupv1=false"
		return v
	}
	return health.Verdict{State: health.Stuck,
		Message: fmt.Sprintf("expected v2 for %s, found %s", spec.K3s, version),
		Cause:   "the kubelet of Kubernetes 1.35 and later ends on a host with cgroup v1",
		Hint: fmt.Sprintf("add systemd.unified_cgroup_hierarchy=1 to the kernel's command line "+
			"of %s and reboot; or set strata:k3s.version to a v1.34 release; "+
			"or, while Kubernetes still has it, the kubelet-arg fail-cgroupv1=false in "+
			"strata:k3s.serverArgs and agentArgs", host.Name)}
}

package config

import (
	"fmt"
	"slices"
	"strings"
)

// firstWithoutCgroupV1 is the first minor version of Kubernetes whose kubelet refuses a host on
// cgroup v1 (https://kubernetes.io/docs/concepts/architecture/cgroups/#cgroup-v1).
const firstWithoutCgroupV1 = 35

// RefusesCgroupV1 reports whether the kubelet of a version of K3s, for example v1.36.3+k3s1,
// refuses to run on a host with cgroup v1.
func RefusesCgroupV1(version string) (bool, error) {
	numbers, err := k3sNumbers(version)
	return numbers[0] > 1 || numbers[1] >= firstWithoutCgroupV1, err
}

// AllowsCgroupV1 reports whether the configuration makes the kubelets of a role accept cgroup v1.
// K3s passes kubelet-arg through (https://docs.k3s.io/cli/agent).
func (k K3s) AllowsCgroupV1(role Role) bool { return slices.Contains(k.RolesOnCgroupV1(), role) }

// RolesOnCgroupV1 returns the roles whose kubelets are configured to accept cgroup v1.
func (k K3s) RolesOnCgroupV1() (roles []Role) {
	for role, args := range map[Role]map[string]any{RoleServer: k.ServerArgs, RoleAgent: k.AgentArgs} {
		if strings.Contains(fmt.Sprint(args["kubelet-arg"], args["kubelet-arg+"]),
			"fail-cgroupv1=false") {
			roles = append(roles, role)
		}
	}
	return roles
}

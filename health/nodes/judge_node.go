package nodes

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"strata/health"
	"strata/health/host"
	"strata/health/kube"
	"strata/health/observe"
)

// judgeMissing judges an expected host without a Node. It checks whether the host has joined under
// another name.
func judgeMissing(h health.Host, nodes []nodeFacts, expected []health.Host) health.Verdict {
	v := health.Verdict{State: health.Waiting, Message: "not registered",
		Hint: "on " + h.Name + ": journalctl -u " + host.UnitName(h) + " -n 50"}
	for _, node := range nodes {
		strange := !slices.ContainsFunc(expected,
			func(h health.Host) bool { return h.Name == node.Name })
		if strange && node.InternalIP == h.Address {
			v.Message = fmt.Sprintf("not registered; its address %s belongs to Node %s", h.Address,
				node.Name)
			v.Cause = "the host joined under another name"
			v.Hint = "kubectl delete node " + node.Name +
				"; set node-name in the host's config.yaml and restart " + host.UnitName(h)
			if node.Seconds >= observe.NoticeSeconds {
				v.State = health.Stuck
			}
		}
	}
	return v
}

// judgeNode judges whether a registered Node can take Pods as the intended host. It checks causes
// before their consequences, so the verdict names the cause.
func judgeNode(h health.Host, node nodeFacts) health.Verdict {
	describe := "kubectl describe node " + node.Name
	if node.Deleting {
		return health.Verdict{State: health.Waiting, Message: "being deleted", Hint: describe}
	}
	if v, wrong := judgeIdentity(h, node); wrong {
		return v
	}
	switch {
	case node.Ready.Status != "True":
		return health.Verdict{State: health.Waiting, Message: notReady(node.Ready),
			Evidence: conditionLines(node), Cause: nodeCause(node.Ready), Hint: describe}
	case node.Heartbeat != heartbeatFresh:
		return health.Verdict{
			State: health.Waiting, Message: "Ready, but the kubelet's Lease is " +
				leaseMessage(node.Heartbeat), Evidence: conditionLines(node),
			Cause: "the kubelet has stopped and no controller has noticed yet",
			Hint:  "on " + node.Name + ": systemctl status " + host.UnitName(h),
		}
	case len(node.Startup) > 0:
		return health.Verdict{State: health.Waiting,
			Message: "Ready, but takes no Pods yet: taint " + strings.Join(node.Startup, ", "),
			Hint:    describe}
	case slices.ContainsFunc(node.Trouble,
		func(c kube.Condition) bool { return c.Type == "NetworkUnavailable" }):
		return health.Verdict{State: health.Waiting, Message: "Ready, but NetworkUnavailable",
			Evidence: conditionLines(node), Hint: describe}
	}
	for _, c := range node.Trouble {
		if why, known := pressures[c.Type]; known {
			return health.Verdict{State: health.Waiting, Message: "Ready, but " + c.Type,
				Evidence: conditionLines(node), Cause: why.cause,
				Hint: "on " + node.Name + ": " + why.hint}
		}
	}
	if !node.Lacking.IsEmpty() {
		return judgeLacking(node)
	}
	return judgeUsable(node)
}

// judgeLacking judges a Ready Node that lacks configured labels or taints, so that Pods are
// scheduled to wrong Nodes, or to none.
func judgeLacking(node nodeFacts) health.Verdict {
	labels, taints := node.Lacking.LabelFlags(), node.Lacking.Taints
	v := health.Verdict{
		State: health.Waiting, Cause: "they were changed outside the stack; K3s sets labels and " +
			"taints when a Node registers",
		Message: "Ready, but without " + strings.Join(slices.Concat(labels, taints), ", ") +
			", which strata:hosts sets",
	}
	var commands []string
	if len(labels) > 0 {
		commands = append(commands, "kubectl label node "+node.Name+" "+strings.Join(labels, " ")+
			" --overwrite")
	}
	if len(taints) > 0 {
		commands = append(commands, "kubectl taint node "+node.Name+" "+strings.Join(taints, " ")+
			" --overwrite")
	}
	v.Hint = strings.Join(commands, "; ")
	if node.Seconds >= observe.NoticeSeconds {
		v.State = health.Stuck
	}
	return v
}

// pressures are conditions under which a Node accepts no Pod that does not tolerate them, and
// evicts some Pods (Kubernetes docs, Node-pressure Eviction). MemoryPressure is not one of them: it
// affects only Pods without requests and limits.
var pressures = map[string]struct{ cause, hint string }{
	"DiskPressure": {"the host's disk is full: the kubelet takes no Pods and evicts some",
		"df -h /var/lib/rancher /var/lib/kubelet /var/log; free some space: k3s crictl rmi --prune"},
	"PIDPressure": {"the host has no process IDs left: the kubelet takes no Pods and evicts some",
		"ps -eLf | wc -l; sysctl kernel.pid_max"},
}

// judgeUsable returns Ready, with a remark for a Node that is cordoned or under pressure.
func judgeUsable(node nodeFacts) health.Verdict {
	v := health.Verdict{State: health.Ready}
	var remarks []string
	if node.Cordoned {
		remarks = append(remarks, "cordoned: takes no new Pods")
		v.Hint = "kubectl uncordon " + node.Name
	}
	for _, c := range node.Trouble {
		remarks = append(remarks, c.Type)
	}
	v.Message = strings.Join(remarks, ", ")
	return v
}

// judgeIdentity judges a Node with another role or address than the host; false means that both are
// the host's. Role and address are set some seconds after registration, so a difference is Stuck
// only after observe.NoticeSeconds.
func judgeIdentity(h health.Host, node nodeFacts) (health.Verdict, bool) {
	v := health.Verdict{State: health.Waiting}
	server := h.Role == "server"
	switch {
	case server && !node.Server:
		v.Message = "has no control-plane role label, expected a server"
		v.Hint = "on " + node.Name + ": systemctl status k3s k3s-agent"
	case !server && node.Server:
		v.Message = "has the control-plane role label, expected an agent"
		v.Cause = "the host was a server before"
		v.Hint = "uninstall K3s on " + node.Name + " and kubectl delete node " + node.Name
	case node.InternalIP != h.Address && isIP(h.Address):
		v.Message = fmt.Sprintf("InternalIP is %s, expected %s", observe.OrNone(node.InternalIP),
			h.Address)
		v.Hint = "set node-ip in the host's config.yaml and restart " + host.UnitName(h)
	default:
		return v, false
	}
	if node.Seconds >= observe.NoticeSeconds {
		v.State = health.Stuck
	}
	return v, true
}

func isIP(address string) bool {
	_, err := netip.ParseAddr(address)
	return err == nil
}

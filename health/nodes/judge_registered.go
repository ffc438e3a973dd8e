package nodes

import (
	"fmt"

	"strata/health"
	"strata/internal/ssh/remote"
)

// JudgeRegistered judges the Nodes of an existing cluster, whose nodes are not configured here. At
// least one Node must exist, and each must be Ready. It uses the API only, because Strata cannot
// log in to the hosts.
func JudgeRegistered(facts Facts) []health.Verdict {
	if facts.Fault != nil {
		return facts.FaultVerdicts(nodeSetCheck)
	}
	set := health.Verdict{Check: nodeSetCheck, State: health.Ready}
	if len(facts.Nodes) == 0 {
		set.State = health.Waiting
		set.Message = "no Nodes registered"
		set.Hint = "kubectl get nodes"
		return []health.Verdict{set}
	}
	verdicts, ready := make([]health.Verdict, 0, len(facts.Nodes)+1), 0
	for _, node := range facts.Nodes {
		v := judgeNode(node.itself(), node)
		v.Check = "node " + node.Name
		if v.State == health.Ready {
			ready++
		} else {
			v.Hint = "kubectl describe node " + node.Name // its unit is unknown
		}
		set.After = append(set.After, v.Check)
		verdicts = append(verdicts, v)
	}
	if ready < len(verdicts) {
		set.State, set.Message = health.Waiting, fmt.Sprintf("%d/%d Ready", ready, len(verdicts))
	} else {
		set.After = nil
	}
	return append(verdicts, set)
}

// itself returns a host with the Node's own name, address and role, so that judgeNode finds no
// difference.
func (n nodeFacts) itself() health.Host {
	host := health.Host{Target: remote.Target{Name: n.Name, Address: n.InternalIP}, Role: "agent"}
	if n.Server {
		host.Role = "server"
	}
	return host
}

package health

import (
	"fmt"

	"strata/internal/remote"
)

// judgeRegistered is judgeNodes for a cluster whose nodes nobody here has configured: each Node that is registered must be Ready by
// the API alone, since no host can be asked for its unit.
func judgeRegistered(facts nodesFacts) []Verdict {
	if facts.Fault != nil {
		return []Verdict{facts.Fault.verdict(nodeSetCheck, facts.Seconds >= startupSeconds)}
	}
	set := Verdict{Check: nodeSetCheck, State: Ready}
	if len(facts.Nodes) == 0 {
		set.State, set.Message, set.Hint = Waiting, "no Nodes registered", "kubectl get nodes"
		return []Verdict{set}
	}
	verdicts, ready := make([]Verdict, 0, len(facts.Nodes)+1), 0
	for _, node := range facts.Nodes {
		v := judgeNode(node.itself(), node)
		v.Check = "node " + node.Name
		if v.State == Ready {
			ready++
		} else {
			v.Hint = "kubectl describe node " + node.Name // how its owner runs a kubelet is not known
		}
		set.After = append(set.After, v.Check)
		verdicts = append(verdicts, v)
	}
	if ready < len(verdicts) {
		set.State, set.Message = Waiting, fmt.Sprintf("%d/%d Ready", ready, len(verdicts))
	} else {
		set.After = nil
	}
	return append(verdicts, set)
}

// itself is the host that a Node says that it is.
func (n nodeFacts) itself() Host {
	host := Host{Target: remote.Target{Name: n.Name, Address: n.InternalIP}, Role: "agent"}
	if n.Server {
		host.Role = "server"
	}
	return host
}

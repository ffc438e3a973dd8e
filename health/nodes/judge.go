package nodes

import (
	"fmt"
	"slices"
	"strings"

	"strata/health"
	"strata/health/host"
	"strata/health/kube"
	"strata/health/observe"
)

// judgeNodes compares the Nodes with the expected set. It returns one verdict for each expected
// host. The last verdict is about the whole set: it reports unexpected Nodes, or that no Node
// exists.
func judgeNodes(expected []health.Host, facts Facts) []health.Verdict {
	if facts.Fault != nil {
		return judgeNodesUnseen(expected, facts)
	}
	nodes := map[string]nodeFacts{}
	for _, node := range facts.Nodes {
		nodes[node.Name] = node
	}
	verdicts := make([]health.Verdict, 0, len(expected)+1)
	ready := 0
	for _, h := range expected {
		node, found := nodes[h.Name]
		v := judgeMissing(h, facts.Nodes, expected)
		if found {
			v = judgeNode(h, node)
		}
		v.Check, v.After = "node "+h.Name, []string{host.UnitCheck(h)}
		if v.State == health.Ready {
			ready++
		}
		verdicts = append(verdicts, v)
	}
	return append(verdicts, judgeNodeSet(expected, facts.Nodes, ready))
}

// judgeNodesUnseen returns the verdicts if no API server answered. Only the check of the set has
// the reason; every Node's check depends on it.
func judgeNodesUnseen(expected []health.Host, facts Facts) []health.Verdict {
	checks := make([]string, 0, len(expected))
	for _, host := range expected {
		checks = append(checks, "node "+host.Name)
	}
	return append(kube.NotSeen(nodeSetCheck, checks...), facts.FaultVerdict(nodeSetCheck))
}

// nodeSetCheck is the check of the set as a whole.
const nodeSetCheck = "node set"

// judgeNodeSet judges whether exactly the expected Nodes exist.
func judgeNodeSet(expected []health.Host, nodes []nodeFacts, ready int) health.Verdict {
	v := health.Verdict{Check: nodeSetCheck, State: health.Ready}
	if len(expected) == 0 || len(nodes) == 0 {
		v.State = health.Waiting
		v.Message = fmt.Sprintf("no Nodes registered, expected %d", len(expected))
		return v
	}
	var extra []string
	stable := true
	for _, node := range nodes {
		if slices.ContainsFunc(expected, func(h health.Host) bool { return h.Name == node.Name }) {
			continue
		}
		extra = append(extra, node.Name)
		stable = stable && node.Seconds >= observe.NoticeSeconds && !node.Deleting
	}
	if len(extra) > 0 {
		slices.Sort(extra)
		v.State = health.Waiting
		v.Message = fmt.Sprintf("%d/%d Ready; not expected: %s", ready, len(expected),
			strings.Join(extra, ", "))
		v.Hint = "kubectl delete node " + strings.Join(extra, " ") + ", or add it to strata:hosts"
		if stable {
			v.State = health.Stuck
			v.Cause = "a Node that no host of the configuration explains; no controller removes it"
		}
		return v
	}
	if ready < len(expected) {
		v.State, v.Message = health.Waiting, fmt.Sprintf("%d/%d Ready", ready, len(expected))
		for _, host := range expected {
			v.After = append(v.After, "node "+host.Name)
		}
	}
	return v
}

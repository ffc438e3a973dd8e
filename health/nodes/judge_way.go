package nodes

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"strata/health"
	"strata/health/host"
)

// kubeletPort is the kubelet's port. The kubelet listens on every address of a node.
const kubeletPort = 10250

// way describes the route from one host to another host and to the Pods there, with the answers.
type way struct {
	// To is the other host's name. Host is the address of its Node.
	To   string `json:"to"`
	Host string `json:"host,omitempty"`
	// Address is the other host's own address in the network of its Pods. It is empty if the host
	// has none there yet, or if there is no route.
	Address string `json:"address,omitempty"`
	// Answer is the answer from Address; empty before the first one.
	Answer host.Answer `json:"answer,omitempty"`
	// Pod is the address of a Pod on the other host; empty if no Service has a ready Pod there.
	// Forward is the answer from Pod, which comes only if the other host forwards packets.
	Pod     string      `json:"pod,omitempty"`
	Forward host.Answer `json:"forward,omitempty"`
	// Kubelet is the answer from the kubelet's port at Host.
	Kubelet host.Answer `json:"kubelet,omitempty"`
}

// podAddress returns a host's own address in the network of its Pods: the first address, if flannel
// has a tunnel device, or else the address of the bridge, which the first Pod creates. It is empty
// if the host has neither.
func podAddress(podCIDR string, f host.UnitFacts) string {
	pods, err := netip.ParsePrefix(podCIDR)
	switch {
	case err != nil:
		return ""
	case f.Tunnel:
		return pods.Masked().Addr().String()
	case slices.Contains(f.Routes, pods.Masked().String()):
		return pods.Masked().Addr().Next().String()
	}
	return ""
}

// carrier describes how Pods' packets go from node to node: the kind of packets, the cause if they
// are lost, and the fix.
type carrier struct{ packets, cause, hint string }

// carriers has the carrier of each flannel backend (K3s docs, Networking: Inbound Rules for K3s
// Nodes).
var carriers = map[string]carrier{
	"vxlan":            newFilteredCarrier("UDP 8472"),
	"wireguard-native": newFilteredCarrier("UDP 51820"),
	"host-gw": {
		"packets", "a firewall drops packets of the Pods' addresses, or the hosts are not on one network",
		"let the nodes' firewalls and the network pass the Pods' addresses",
	},
}

// newFilteredCarrier returns a carrier whose packets a firewall may drop by their protocol and
// port.
func newFilteredCarrier(packets string) carrier {
	return carrier{
		packets, "a firewall on a host or between them drops " + packets +
			" (ufw, firewalld, the cloud's)",
		"let each node reach each other at " + packets,
	}
}

// describeAttempt returns the command with which a user can repeat a host's attempt, for hints.
func describeAttempt(h health.Host, address string) string {
	return fmt.Sprintf("tried on %s: %s", h.Name,
		host.Connection{Address: address, Ports: []int{kubeletPort}}.Command())
}

// judgeWays completes the verdict v: each other host must answer in the network of its Pods, also
// to packets of full size, and must forward packets to a Pod. No condition of a Node shows a fault
// here, because the kubelet, the API and SSH use the nodes' own addresses.
func judgeWays(h health.Host, backend string, ways []way, v health.Verdict) health.Verdict {
	var silent, small, idle, unable, unasked []way
	for _, w := range ways {
		switch {
		case w.Address == "":
			unable = append(unable, w)
		case w.Answer == "":
			unasked = append(unasked, w)
		case w.Answer == host.AnswerNone:
			silent = append(silent, w)
		case w.Answer == host.AnswerSmall:
			small = append(small, w)
		case w.Pod != "" && w.Forward == "":
			unasked = append(unasked, w)
		case w.Forward == host.AnswerNone:
			idle = append(idle, w)
		}
	}
	by, known := carriers[backend]
	if !known {
		by = carriers["host-gw"]
	}
	switch {
	case len(silent) > 0:
		v.Message = fmt.Sprintf("%s (%s) gets no answer from the Pod network of %s", h.Name,
			h.Address, names(silent))
		v.Cause = by.cause
		v.Hint = by.hint + "; " + describeAttempt(h, silent[0].Address)
		v.After = append(v.After, nodeChecks(silent)...)
	case len(small) > 0:
		v.Message = fmt.Sprintf("packets of full size from %s (%s) get no answer from the Pod "+
			"network of %s", h.Name, h.Address, names(small))
		v.Cause = "the way between the hosts takes smaller packets than flannel's " + by.packets +
			" have, or K3s hangs there"
		v.Hint = fmt.Sprintf("on %s: ping -M do -s 1472 %s; set the network's MTU on each host's "+
			"own interface and restart K3s", h.Name, small[0].Host)
		v.After = append(v.After, nodeChecks(small)...)
	case len(idle) > 0:
		v.Message = fmt.Sprintf("%s (%s) gets no answer from the Pods of %s, which answers itself",
			h.Name, h.Address, names(idle))
		v.Cause = "packets are not forwarded there: a firewall set the policy of iptables' chain " +
			"FORWARD to DROP, or flushed what K3s accepts"
		v.Hint = fmt.Sprintf("on %s: iptables-save | grep FORWARD; restarting K3s there writes its "+
			"rules anew; %s", idle[0].To, describeAttempt(h, idle[0].Pod))
		v.After = append(v.After, nodeChecks(idle)...)
	case len(unasked) > 0:
		v.Message = "waits for an answer from the Pod network of " + names(unasked)
	default:
		v.State, v.After = health.Ready, nil
		if len(unable) > 0 {
			v.Message = "nothing can answer yet in the Pod network of " + names(unable)
		}
	}
	return v
}

// judgeKubelets judges whether the kubelets of the other Nodes answer a host. kubectl logs and exec
// work even if a firewall closes the kubelet's port, because they use the agents' own connections.
func judgeKubelets(h health.Host, ways []way) health.Verdict {
	v := health.Verdict{Check: "kubelets from " + h.Name, State: health.Waiting,
		After: []string{host.UnitCheck(h), nodeSetCheck}}
	var silent, unasked []way
	for _, w := range ways {
		switch w.Kubelet {
		case host.AnswerFull, host.AnswerSmall:
		case host.AnswerNone, host.AnswerEcho:
			silent = append(silent, w)
		default:
			unasked = append(unasked, w)
		}
	}
	switch {
	case len(silent) > 0:
		v.Message = fmt.Sprintf("%s (%s) gets no answer at TCP %d of %s", h.Name, h.Address,
			kubeletPort, names(silent))
		v.Cause = fmt.Sprintf("a firewall on a host or between them drops TCP %d: metrics of "+
			"these nodes are missing, and what scales by them", kubeletPort)
		v.Hint = fmt.Sprintf("let each node reach each other at TCP %d; %s", kubeletPort,
			describeAttempt(h, silent[0].Host))
		v.After = append(v.After, nodeChecks(silent)...)
	case len(unasked) > 0:
		v.Message = "waits for an answer from the kubelet of " + names(unasked)
	default:
		v.State, v.After = health.Ready, nil
	}
	return v
}

func names(ways []way) string {
	texts := make([]string, len(ways))
	for i, w := range ways {
		texts[i] = fmt.Sprintf("%s (%s)", w.To, w.Host)
	}
	return strings.Join(texts, ", ")
}

// nodeChecks returns the names of the other hosts' Node checks, for Verdict.After: a host whose
// Node is not Ready cannot answer.
func nodeChecks(ways []way) []string {
	checks := make([]string, len(ways))
	for i, w := range ways {
		checks[i] = "node " + w.To
	}
	return checks
}

package nodes

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"strata/health"
	"strata/health/host"
)

// kubeletPort is the kubelet's, which listens at every address of a node.
const kubeletPort = 10250

// way is one host's way to another, and to the Pods there.
type way struct {
	// To is the other host's name, Host its Node's address.
	To   string `json:"to"`
	Host string `json:"host,omitempty"`
	// Address answers for the other host in its Pods' network; empty while nothing there can, or
	// there is no route.
	Address string `json:"address,omitempty"`
	// Answer came back from Address; empty before the first.
	Answer host.Answer `json:"answer,omitempty"`
	// Kubelet came back from the kubelet's port at Host.
	Kubelet host.Answer `json:"kubelet,omitempty"`
}

// podAddress returns the address of a host in the network of its Pods: the tunnel's, which is the
// first, or that of the bridge which its first Pod brings. Without either nothing there can answer.
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

// carrier takes the packets of Pods from node to node: by which packets, why they may be lost, and
// the fix.
type carrier struct{ packets, cause, hint string }

// carriers are by flannel's backend (K3s docs, Networking: Inbound Rules for K3s Nodes).
var carriers = map[string]carrier{
	"vxlan":            newFilteredCarrier("UDP 8472"),
	"wireguard-native": newFilteredCarrier("UDP 51820"),
	"host-gw": {
		"packets", "a firewall drops packets of the Pods' addresses, or the hosts are not on one network",
		"let the nodes' firewalls and the network pass the Pods' addresses",
	},
}

// newFilteredCarrier carries packets that a firewall may drop by their protocol and port.
func newFilteredCarrier(packets string) carrier {
	return carrier{
		packets, "a firewall on a host or between them drops " + packets +
			" (ufw, firewalld, the cloud's)",
		"let each node reach each other at " + packets,
	}
}

// describeAttempt words a host's attempt, as it can be typed there.
func describeAttempt(h health.Host, address string) string {
	return fmt.Sprintf("tried on %s: %s", h.Name,
		host.Connection{Address: address, Ports: []int{kubeletPort}}.Command())
}

// judgeWays judges whether each other host answers in its Pods' network, and packets of full size
// arrive there. No condition of a Node shows it: the kubelet, the API and SSH go by the nodes' own
// addresses.
func judgeWays(h health.Host, backend string, ways []way, v health.Verdict) health.Verdict {
	var silent, small, unable, unasked []way
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

// judgeKubelets judges whether the kubelet of each other Node answers a host: kubectl's logs and
// exec go by the agents' own connections, and show nothing of a port that is closed.
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

// nodeChecks returns the checks without which the other hosts cannot answer.
func nodeChecks(ways []way) []string {
	checks := make([]string, len(ways))
	for i, w := range ways {
		checks[i] = "node " + w.To
	}
	return checks
}

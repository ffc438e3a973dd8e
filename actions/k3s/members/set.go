package members

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/k3shost"
	"strata/internal/kube/apiserver"
	"strata/internal/ssh/remote"
	"strata/internal/ssh/tunnel"
)

// Set lists the wanted members. It is the input of Update, as JSON on stdin. The next run compares
// its own Set with the Output of this run.
type Set struct {
	// Timeout bounds the whole removal.
	Timeout metav1.Duration `json:"timeout,omitzero"`
	// Members lists the nodes that stay or join.
	Members []Member `json:"members"`
	// DiscardVolumesOf names nodes that may be removed although volumes on their disks are lost.
	DiscardVolumesOf []string `json:"discardVolumesOf,omitempty"`
	// Owner owns the cluster. Hosts of another owner are not changed.
	Owner *k3shost.Owner `json:"owner,omitempty"`
}

// Output returns the part of the set that the next run needs to log in to a node that it removes.
// Host keys are reduced to fingerprints, because an output is passed in one environment variable,
// which Linux limits to 128 KiB.
func (s Set) Output() Set {
	kept := Set{Members: make([]Member, 0, len(s.Members))}
	for _, member := range s.Members {
		kept.Members = append(kept.Members,
			Member{Target: member.PinsAsFingerprints(), Role: member.Role,
				NodeSettings: member.NodeSettings})
	}
	return kept
}

// Member is a node, with the SSH access to its host.
type Member struct {
	remote.Target
	// Role is server or agent.
	Role string `json:"role"`
	apiserver.NodeSettings
}

// tunnelTo returns the tunnel to the members' API servers; empty if they can be reached directly.
func tunnelTo(members []Member) tunnel.Spec {
	return tunnel.First(members, func(member Member) remote.Target { return member.Target })
}

// Left returns the members of previous that are not in wanted with the same name and role, agents
// first: the removal of a server may stop the etcd that an agent's drain needs.
func Left(previous, wanted Set) []Member {
	stays := map[string]string{}
	for _, member := range wanted.Members {
		stays[member.Name] = member.Role
	}
	var agents, servers []Member
	for _, member := range previous.Members {
		if role, ok := stays[member.Name]; ok && role == member.Role {
			continue
		}
		if member.Role == "server" {
			servers = append(servers, member)
		} else {
			agents = append(agents, member)
		}
	}
	return append(agents, servers...)
}

// urlsOf returns the API servers' URLs, as https://address:port.
func urlsOf(servers []Member) []string {
	var urls []string
	for _, server := range servers {
		urls = append(urls, apiserver.URL(server.Address))
	}
	return urls
}

// Servers returns the members that are servers.
func (s Set) Servers() []Member {
	return slices.DeleteFunc(slices.Clone(s.Members),
		func(member Member) bool { return member.Role != "server" })
}

// CheckAddresses returns an error if a node of wanted has an address that a node of another name
// had in previous. The new name would be installed on the host from which the old name is then
// removed. If two nodes swapped addresses, each would join with the other's data.
func CheckAddresses(previous, wanted Set) error {
	had := map[string]string{}
	for _, member := range previous.Members {
		had[member.Address] = member.Name
	}
	var moved []string
	for _, member := range wanted.Members {
		if name := had[member.Address]; name != "" && name != member.Name {
			moved = append(moved, fmt.Sprintf("%s was %s and is to be %s", member.Address, name,
				member.Name))
		}
	}
	if len(moved) == 0 {
		return nil
	}
	return fmt.Errorf("layer k3s: members: expected each address to keep its node, found: %s; no "+
		"node was removed. In two steps: take the old names out of "+
		"strata:hosts.nodes and run pulumi up, then add the new ones", strings.Join(moved, "; "))
}

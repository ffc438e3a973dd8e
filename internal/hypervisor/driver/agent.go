package driver

import (
	"strings"
)

// AgentInterfaces is the answer of the guest's agent to guest-network-get-interfaces.
type AgentInterfaces []struct {
	MAC       string `json:"hardware-address"`
	Addresses []struct {
		Address string `json:"ip-address"`
	} `json:"ip-addresses"`
}

// Addresses returns the addresses of the interface with this hardware address.
func (all AgentInterfaces) Addresses(mac string) []string {
	var addresses []string
	for _, one := range all {
		if !strings.EqualFold(one.MAC, mac) {
			continue
		}
		for _, address := range one.Addresses {
			addresses = append(addresses, address.Address)
		}
	}
	return addresses
}

package address

import (
	"net"

	"strata/health"
)

// Kind gates a Service of type LoadBalancer: its address must accept connections from this machine
// and from the hosts.
const Kind health.Kind = "address"

// Spec names a Service of type LoadBalancer and the ports that must answer at its address.
type Spec struct {
	Namespace string `json:"namespace"`
	Service   string `json:"service"`
	// Ports are TCP ports. Each must accept a connection from this machine and from each of the
	// hosts in health.Spec.
	Ports []int `json:"ports"`
	// Want is the IP address that the Service must have. Empty: any address.
	Want string `json:"want,omitempty"`
}

// Traits implements health.Body.
func (Spec) Traits() health.Traits { return health.Traits{Kind: Kind} }

// Validate implements health.Body.
func (s Spec) Validate(need health.Need) {
	need(s.Namespace != "" && s.Service != "", "address: namespace or service is empty")
	need(len(s.Ports) > 0, "address.ports: empty; an address is not proved before something answers there")
	for i, port := range s.Ports {
		need(port > 0 && port < 1<<16, "address.ports[%d]: expected 1 to 65535, found %d", i, port)
	}
	need(s.Want == "" || net.ParseIP(s.Want) != nil,
		"address.want: expected an IP address, found %q", s.Want)
}

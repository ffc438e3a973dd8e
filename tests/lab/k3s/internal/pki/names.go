package pki

import (
	"net"
	"os"
	"slices"
)

// Names has the subject alternative names of a serving certificate.
type Names struct {
	DNS []string
	IPs []net.IP
}

// ServerNames returns the names of a K3s server: its host name and addresses, the kubernetes
// Service, and the values of --tls-san.
func ServerNames(nodeName string, nodeIP, serviceIP net.IP, domain string, sans []string) Names {
	n := Names{
		DNS: []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
			"kubernetes.default.svc." + domain},
		IPs: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback, nodeIP, serviceIP},
	}
	n.add(nodeName)
	if host, err := os.Hostname(); err == nil {
		n.add(host)
	}
	for _, san := range sans {
		n.add(san)
	}
	return n
}

func (n *Names) add(san string) {
	if ip := net.ParseIP(san); ip != nil {
		n.IPs = append(n.IPs, ip)
	} else if san != "" && !slices.Contains(n.DNS, san) {
		n.DNS = append(n.DNS, san)
	}
}

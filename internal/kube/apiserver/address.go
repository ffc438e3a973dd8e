package apiserver

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
)

// Port is the TCP port of K3s's API server and of its join endpoint. It is K3s's default, which
// serverArgs must not change.
const Port = 6443

// Address returns the API server of the host at an IP address, as host:port.
func Address(host string) string { return net.JoinHostPort(host, strconv.Itoa(Port)) }

// URL returns the URL of the API server of the host at an IP address.
func URL(host string) string { return "https://" + Address(host) }

// Addresses converts API servers from https://address:port to host:port. The error names a server
// that is no URL.
func Addresses(servers []string) ([]string, error) {
	addresses := make([]string, 0, len(servers))
	for _, server := range servers {
		parsed, err := url.Parse(server)
		if err != nil {
			return nil, fmt.Errorf("server %q: %w", server, err)
		}
		addresses = append(addresses, parsed.Host)
	}
	return addresses, nil
}

package apiserver

import (
	"net"
	"strconv"
)

// Port is the TCP port of K3s's API server and of its join endpoint: its default, which serverArgs must not change.
const Port = 6443

// Address is the API server of the host at an IP address, as host:port.
func Address(host string) string { return net.JoinHostPort(host, strconv.Itoa(Port)) }

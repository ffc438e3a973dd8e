package address

import "testing"

// For a node on a network without a route, net.Dial returns no connection, and meet must not use
// it.
func TestARPRequestsSkipUnreachableNode(*testing.T) {
	meet(map[string]string{"away": "fe80::1%no-such-interface", "here": "127.0.0.1"})
}

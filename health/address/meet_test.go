package address

import "testing"

// A node on another network cannot be reached from this machine. meet skips it and continues with
// the next node.
func TestUnreachableNodeDoesNotStopARPRequests(*testing.T) {
	meet(map[string]string{"away": "fe80::1%no-such-interface", "here": "127.0.0.1"})
}

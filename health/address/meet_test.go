package address

import "testing"

// A node of another network cannot be asked from here, and is no reason to end.
func TestMeetIgnoresUnreachableNode(*testing.T) {
	meet(map[string]string{"away": "fe80::1%no-such-interface", "here": "127.0.0.1"})
}

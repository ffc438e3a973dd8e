package address

import "testing"

// A node on another network cannot be asked from here. meet skips it and goes on with the next one.
func TestMeetIgnoresUnreachableNode(*testing.T) {
	meet(map[string]string{"away": "fe80::1%no-such-interface", "here": "127.0.0.1"})
}

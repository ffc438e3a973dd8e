package node

import (
	"net"
	"os"
	"strings"
)

// usableResolvConf reports whether a file has a name server, and only global unicast addresses as
// name servers.
func usableResolvConf(file string) bool {
	data, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	found := false
	for _, line := range strings.Split(string(data), "\n") {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "nameserver" {
			continue
		}
		if ip := net.ParseIP(fields[1]); ip == nil || !ip.IsGlobalUnicast() {
			return false
		}
		found = true
	}
	return found
}

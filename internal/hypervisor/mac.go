package hypervisor

import (
	"crypto/sha256"
	"fmt"
)

// MAC returns the machine's hardware address. It depends only on stack and node, so that a DHCP
// reservation stays valid when the machine is replaced. It is a locally administered address.
func (s Spec) MAC() string {
	sum := sha256.Sum256([]byte("strata vm " + s.Stack + "/" + s.Node))
	return fmt.Sprintf("52:54:%02x:%02x:%02x:%02x", sum[0], sum[1], sum[2], sum[3])
}

package hypervisor

import (
	"crypto/sha256"
	"fmt"
)

// MAC returns the machine's hardware address. It is the same for every creation, so that an address
// can be reserved for it. The bit of locally administered addresses is set.
func (s Spec) MAC() string {
	sum := sha256.Sum256([]byte("strata vm " + s.Stack + "/" + s.Node))
	return fmt.Sprintf("52:54:%02x:%02x:%02x:%02x", sum[0], sum[1], sum[2], sum[3])
}

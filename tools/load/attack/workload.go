package attack

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// OfWorkload reads the URL, address and CA of a stack's workload from the stack's outputs. An
// address that is already set stays. Without an address, DNS must know the URL's host. A workload
// without a URL is an error.
func (o *Options) OfWorkload(outputs map[string]any, stack, workload string) error {
	urls, _ := outputs["urls"].(map[string]any)
	o.URL, _ = urls[workload].(string)
	if o.URL == "" {
		return fmt.Errorf("stack %s has no workload %s with a route; its URLs are of %s", stack,
			workload, strings.Join(slices.Sorted(maps.Keys(urls)), ", "))
	}
	addresses, _ := outputs["addresses"].(map[string]any)
	if address, ok := addresses[workload].(string); ok && o.ConnectTo == "" {
		o.ConnectTo = address + ":443"
	}
	ca, _ := outputs["caCertificate"].(string)
	o.CA = []byte(ca)
	return nil
}

package nodes

import (
	"context"
	"net/netip"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health/kube"
)

// asksPods reports whether hosts connect to Pods on the other nodes. A node that drops packets for
// its Pods still answers at its own address in the Pod network, so only a Pod's answer is a proof.
func (w *Watch) asksPods() bool {
	return w.spec.PodNetwork.IsValid() && len(w.key) > 0 && len(w.hosts) > 1
}

// endpoints returns the EndpointSlices of every Service. findPod searches them, because a cluster
// has fewer EndpointSlices than Pods.
func endpoints(ctx context.Context, s *kube.APIServer) ([]discoveryv1.EndpointSlice, error) {
	return kube.List[discoveryv1.EndpointSlice](ctx, s, kube.EndpointSliceResource, "",
		metav1.ListOptions{})
}

// findPod returns the lowest address of a ready endpoint in a Node's range of Pods; empty without
// one. Pods with hostNetwork have no address in the range.
func findPod(podCIDR string, all []discoveryv1.EndpointSlice) string {
	pods, err := netip.ParsePrefix(podCIDR)
	if err != nil {
		return ""
	}
	var lowest netip.Addr
	for i := range all {
		for _, endpoint := range all[i].Endpoints {
			for _, text := range endpoint.Addresses {
				at, err := netip.ParseAddr(text)
				if err == nil && pods.Contains(at) && kube.EndpointReady(endpoint) &&
					(!lowest.IsValid() || at.Less(lowest)) {
					lowest = at
				}
			}
		}
	}
	if !lowest.IsValid() {
		return ""
	}
	return lowest.String()
}

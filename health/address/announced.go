package address

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health"
	"strata/health/kube"
)

// poolAnnotation has the pool of an address that MetalLB assigned (metallb internal/k8s/k8s.go).
const poolAnnotation = "metallb.io/ip-allocated-from-pool"

// statusResource has an object for each Service that a speaker announces by ARP (metallb
// api/v1beta1/servicel2status_types.go).
var statusResource = schema.GroupVersionResource{Group: "metallb.io", Version: "v1beta1",
	Resource: "servicel2statuses"}

// isUnannounced reports whether MetalLB announces addresses by ARP, but no speaker reports that it
// announces the Service's address. A connection is no proof of the announcement: it keeps the entry
// in this machine's own ARP table alive.
func isUnannounced(ctx context.Context, s *kube.APIServer, spec Spec) (bool, error) {
	statuses, err := kube.List[metav1.PartialObjectMetadata](ctx, s, statusResource, "",
		metav1.ListOptions{LabelSelector: fmt.Sprintf(
			"metallb.io/service-name=%s,metallb.io/service-namespace=%s", spec.Service,
			spec.Namespace)})
	if apierrors.IsNotFound(err) {
		return false, nil // MetalLB before 0.14.4
	}
	if err != nil || len(statuses) > 0 {
		return false, err
	}
	advertisements, err := kube.List[metav1.PartialObjectMetadata](ctx, s,
		kube.AdvertisementResource, "", metav1.ListOptions{})
	return len(advertisements) > 0, err // otherwise BGP announces it, or the pool's gate is closed
}

// judgeAnnounced returns Waiting, whatever the connections gave, if no speaker announces the
// address.
func judgeAnnounced(spec Spec, here health.Verdict, s ServiceSeen) health.Verdict {
	if !s.Unannounced {
		return here
	}
	message := "no speaker of MetalLB announces " + s.Address
	if here.Passes() {
		message += ": only machines with the address in their ARP table, such as this one, reach it"
	} else {
		message = here.Message + "; " + message
	}
	return health.Verdict{
		State: health.Waiting, Message: message, Evidence: here.Evidence,
		Cause: "its L2Advertisement names other interfaces or nodes, or each node has the label " +
			corev1.LabelNodeExcludeBalancers,
		Hint: fmt.Sprintf("kubectl -n %s describe service %s; kubectl get l2advertisements -A -o "+
			"yaml; kubectl get nodes -l %s", spec.Namespace, spec.Service,
			corev1.LabelNodeExcludeBalancers),
	}
}

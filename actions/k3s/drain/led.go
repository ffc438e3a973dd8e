package drain

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// controllerManager is the lease of the kube-controller-manager that leads (kubernetes
	// cmd/kube-controller-manager/app).
	controllerManager = "kube-controller-manager"
	// leaseAgain is the time between two reads of the lease, which its holder renews every 2 s.
	leaseAgain = 250 * time.Millisecond
)

// term is the time in which one controller manager leads.
type term struct {
	holder      string
	transitions int32
}

// led waits until a controller manager is seen to renew its lease. Without one no controller takes
// an evicted Pod out of its Service: when the server with the leader has restarted, the next one
// leads only after the lease is over, 15 s later, and by then the Pod is gone. A new leader is
// believed at its second renewal: its controllers have read what there is by then. Clocks are not
// compared, and a cluster whose controller manager does not elect has no lease and is not waited
// for.
func (d *Drainer) led(ctx context.Context) error {
	var since term
	var first time.Time
	state := "not read yet"
	for {
		lease, err := d.Client.CoordinationV1().Leases(metav1.NamespaceSystem).Get(ctx, controllerManager, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			return nil
		case ctx.Err() != nil: // what the end of the time breaks off is no reason
		case err != nil:
			state = err.Error()
		default:
			now, renewed := termOf(lease), renewedAt(lease)
			if now == since && now.holder != "" && renewed.After(first) {
				return nil
			}
			if now != since {
				since, first = now, renewed
			}
			state = fmt.Sprintf("held by %q, last renewed at %s", now.holder, renewed.Format(time.TimeOnly))
		}
		if pause(ctx, leaseAgain); ctx.Err() != nil {
			return fmt.Errorf("not drained: no kube-controller-manager leads, so nothing would take its Pods out of their Services; lease %s/%s: %s",
				metav1.NamespaceSystem, controllerManager, state)
		}
	}
}

func termOf(lease *coordinationv1.Lease) term {
	var t term
	if lease.Spec.HolderIdentity != nil {
		t.holder = *lease.Spec.HolderIdentity
	}
	if lease.Spec.LeaseTransitions != nil {
		t.transitions = *lease.Spec.LeaseTransitions
	}
	return t
}

func renewedAt(lease *coordinationv1.Lease) time.Time {
	if lease.Spec.RenewTime == nil {
		return time.Time{}
	}
	return lease.Spec.RenewTime.Time
}

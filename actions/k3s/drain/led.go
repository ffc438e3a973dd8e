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
	// controllerManager is the name of the lease that the leading kube-controller-manager holds
	// (kubernetes cmd/kube-controller-manager/app).
	controllerManager = "kube-controller-manager"
	// leaseAgain is the time between two reads of the lease, which the leader renews every 2 s.
	leaseAgain = 250 * time.Millisecond
)

// term identifies one leadership of a controller manager.
type term struct {
	holder      string
	transitions int32
}

// awaitLeader waits until the leading controller manager has renewed its lease. Without a leader,
// no controller removes an evicted Pod from its Service's endpoints. When the leader's server
// restarts, the next leader takes over only after the lease has expired, 15 s later. By then,
// requests have gone to evicted Pods. A new leader counts after its second renewal, when its
// controllers have read the cluster. Renewals are compared with each other, so clock differences do
// not matter. A cluster without leader election has no lease, and awaitLeader returns at once.
func (d *Drainer) awaitLeader(ctx context.Context) error {
	var since term
	var first time.Time
	state := "not read yet"
	for {
		lease, err := d.Client.CoordinationV1().Leases(metav1.NamespaceSystem).
			Get(ctx, controllerManager, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			return nil
		case ctx.Err() != nil: // after the timeout, keep the previous state
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
			state = fmt.Sprintf("held by %q, last renewed at %s", now.holder,
				renewed.Format(time.TimeOnly))
		}
		if pause(ctx, leaseAgain); ctx.Err() != nil {
			return fmt.Errorf(
				"not drained: no kube-controller-manager leads, so nothing would take its Pods "+
					"out of their Services; lease %s/%s: %s",
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

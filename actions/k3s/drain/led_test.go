package drain_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"strata/actions/k3s/drain"
)

// lease holds the answer to one read of the controller managers' lease.
type lease struct {
	holder    string
	term      int32
	renewedAt int // s
	err       error
}

// ledBy makes the client return these leases one after the other, and then the last one again.
// reads counts the reads.
func ledBy(client *fake.Clientset, leases ...lease) (reads *atomic.Int32) {
	reads = &atomic.Int32{}
	client.PrependReactor("get", "leases",
		func(clienttesting.Action) (bool, runtime.Object, error) {
			now := leases[min(int(reads.Add(1)), len(leases))-1]
			if now.err != nil {
				return true, nil, now.err
			}
			renewed := metav1.NewMicroTime(time.Unix(int64(now.renewedAt), 0).UTC())
			return true, &coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{
				HolderIdentity: &now.holder, LeaseTransitions: &now.term, RenewTime: &renewed,
			}}, nil
		})
	return reads
}

// The leader's server is gone, but its lease has not expired. A Pod that is evicted in this time
// would stay in the endpoints of its Service.
func TestDrainWaitsForNewControllerManagerLeader(t *testing.T) {
	var reads *atomic.Int32
	early := false
	client := cluster(func(string) error {
		early = early || reads.Load() < 5
		return nil
	}, pod("web", "ReplicaSet"))
	reads = ledBy(client,
		// The lease's holder is dead.
		lease{holder: "server-1", term: 3, renewedAt: 10},
		lease{holder: "server-1", term: 3, renewedAt: 10},
		lease{err: apierrors.NewInternalError(context.DeadlineExceeded)},
		lease{holder: "server-2", term: 4, renewedAt: 25}, // the new leader has just started
		lease{holder: "server-2", term: 4, renewedAt: 27})
	require.NoError(t, (&drain.Drainer{Client: client, Log: t.Logf}).Drain(t.Context(), "agent-1"))
	assert.False(t, early, "evicted while no controller could take it out of its Service")
	assert.Empty(t, names(t, client))
}

func TestDrainFailsWithoutControllerManagerLeader(t *testing.T) {
	client := cluster(never, pod("web", "ReplicaSet"))
	ledBy(client, lease{holder: "server-1", term: 3, renewedAt: 10})
	ctx, cancel := context.WithTimeout(t.Context(), 600*time.Millisecond)
	defer cancel()
	err := (&drain.Drainer{Client: client, Log: t.Logf}).Drain(ctx, "agent-1")
	require.NotErrorIs(t, err, drain.ErrBlocked, "no Pod and no budget is the reason")
	assert.EqualError(t, err,
		"not drained: no kube-controller-manager leads, so nothing would take its Pods out of their Services; "+
			`lease kube-system/kube-controller-manager: held by "server-1", last renewed at 00:00:10`)
	assert.Len(t, names(t, client), 1)
}

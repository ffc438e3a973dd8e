package datastore

import (
	"context"
	"os"
	"time"

	"github.com/sirupsen/logrus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// elect runs work while this server holds a lease in kube-system, as K3s's controllers do
// (rancher/wrangler pkg/leader/leader.go). The durations are wrangler's. A holder that is asked to
// stop releases the lease. A holder without a connection to etcd, such as a server that removed
// itself, cannot release the lease. Other servers then wait until the lease expires.
func elect(ctx context.Context, core kubernetes.Interface, lease string, work func(context.Context)) {
	identity, err := os.Hostname()
	if err != nil {
		logrus.Fatalf("Failed to start leader election for %s: %v", lease, err)
	}
	config := leaderelection.LeaderElectionConfig{LeaseDuration: 45 * time.Second, RenewDeadline: 30 * time.Second, RetryPeriod: 2 * time.Second}
	config.Lock = &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: lease},
		Client:     core.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
	}
	config.ReleaseOnCancel = true
	config.Callbacks = leaderelection.LeaderCallbacks{
		OnStartedLeading: work,
		OnStoppedLeading: func() {
			if ctx.Err() == nil {
				logrus.Fatalf("leaderelection lost for %s", lease)
			}
		},
	}
	leaderelection.RunOrDie(ctx, config)
}

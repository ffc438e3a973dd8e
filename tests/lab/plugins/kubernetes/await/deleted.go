package await

import (
	"context"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"strata/tests/lab/plugins/kubernetes/cluster"
)

// Deleted waits until the server no longer has the object. A timeout warns
// which finalizers might hold it.
func Deleted(
	ctx context.Context, c *cluster.Cluster, inputs, live *unstructured.Unstructured,
	timeout time.Duration, progress, warn Progress,
) error {
	if skipsDelete(inputs) {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	client, err := c.Client(live)
	if err != nil {
		return err
	}
	gone := func(ctx context.Context, view *view) (bool, []string, error) {
		if view.gone {
			return true, nil, nil
		}
		current, err := client.Get(ctx, live.GetName(), metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil, nil
		}
		if err != nil {
			return false, []string{err.Error()}, nil
		}
		if current.GetUID() != view.object.GetUID() && view.object.GetUID() != "" {
			return true, nil, nil
		}
		view.object = current
		return false, []string{"Resource scheduled for deletion"}, nil
	}
	last, err := wait(limited, newView(c, live), gone, conditionTimedOut, progress)
	if err != nil {
		warn(fmt.Sprintf("finalizers might be preventing deletion (%s)", strings.Join(last.GetFinalizers(), ", ")))
	}
	return err
}

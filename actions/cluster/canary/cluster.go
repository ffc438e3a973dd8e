package canary

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"strata/actions/verb"
	"strata/internal/kube/apiserver"
	"strata/internal/pulumi/self"
)

// Try runs a canary release, and prints a digest of its Spec. It does nothing if the previous
// output is the same digest, so a canary that passed is not repeated when only the user's login has
// changed.
var Try = verb.New(func(ctx context.Context, call verb.Call, spec Spec) error {
	tried, err := spec.Attempt(os.Getenv(self.Attempt))
	if err != nil {
		return err
	}
	if tried != strings.TrimSpace(call.PreviousOutput()) {
		client, err := call.Client()
		if err != nil {
			return err
		}
		if err := spec.Validate(); err != nil {
			return err
		}
		if err := run(ctx, spec, &cluster{spec, client}, call.Stderr); err != nil {
			return err
		}
	}
	return call.Print(tried)
})

// cluster implements world on a real cluster.
type cluster struct {
	spec   Spec
	client kubernetes.Interface
}

// First implements world.
func (c *cluster) First(ctx context.Context) (bool, error) {
	_, err := c.deployment(ctx, c.spec.Stable)
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	return false, err
}

// Same implements world. It ignores labels and selectors, which always differ, because the two
// Services select their Pods by labels.
func (c *cluster) Same(ctx context.Context) (bool, error) {
	var templates [2]corev1.PodTemplateSpec
	for i, name := range []string{c.spec.Stable, c.spec.Canary} {
		d, err := c.deployment(ctx, name)
		if err != nil {
			return false, err
		}
		templates[i] = d.Spec.Template
		templates[i].Labels = nil
		for j := range templates[i].Spec.TopologySpreadConstraints {
			templates[i].Spec.TopologySpreadConstraints[j].LabelSelector = nil
		}
	}
	return equality.Semantic.DeepEqual(templates[0], templates[1]), nil
}

// deployment returns a Deployment. It retries while the API server is down or etcd has no leader,
// because neither is a fault of the new version.
func (c *cluster) deployment(ctx context.Context, name string) (*appsv1.Deployment, error) {
	d, err := apiserver.Ask(ctx, func(ctx context.Context) (*appsv1.Deployment, error) {
		return c.client.AppsV1().Deployments(c.spec.Namespace).Get(ctx, name, metav1.GetOptions{})
	})
	if err != nil {
		return nil, fmt.Errorf("Deployment %s/%s: %w", c.spec.Namespace, name, err)
	}
	return d, nil
}

// Pause implements world.
func (c *cluster) Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

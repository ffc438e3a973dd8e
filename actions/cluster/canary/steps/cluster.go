package steps

import (
	"context"
	"fmt"
	"io"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"strata/actions/cluster/canary"
	"strata/internal/kube/apiserver"
)

// Run takes the steps of a Spec in the cluster that config leads to.
func Run(ctx context.Context, config *rest.Config, spec canary.Spec, progress io.Writer) error {
	if err := spec.Validate(); err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	return run(ctx, spec, &cluster{spec, client}, progress)
}

// cluster is the world as it is.
type cluster struct {
	spec   canary.Spec
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

// Same implements world. The Pods of both differ by the label that their Services select them by,
// and in nothing else.
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

// deployment gets a Deployment. An API server that is away, or has no leader of etcd, is asked
// again: that is no fault of the version's.
func (c *cluster) deployment(ctx context.Context, name string) (d *appsv1.Deployment, err error) {
	err = apiserver.Insist(ctx, func(ctx context.Context) error {
		d, err = c.client.AppsV1().Deployments(c.spec.Namespace).Get(ctx, name, metav1.GetOptions{})
		return err
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

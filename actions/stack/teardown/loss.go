package teardown

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"strata/internal/kube/apiserver"
)

// Loss lists the objects that are deleted for good when their cluster is destroyed, each list
// sorted.
type Loss struct {
	// Volumes lists the bound PersistentVolumeClaims of every namespace, including those of
	// Strata's own components.
	Volumes []string
	// Services lists the Services of type LoadBalancer. Namespaces lists the namespaces, except
	// those that every cluster has. Both leave out the namespaces that Strata created.
	Services, Namespaces []string
}

// builtin lists the namespaces that every Kubernetes cluster has.
var builtin = []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic,
	corev1.NamespaceNodeLease}

// Observe lists the objects that the destroy of a cluster would delete for good. made lists the
// namespaces that Strata created. If a list request fails, Observe returns the error with the
// results of the other requests.
func Observe(ctx context.Context, client kubernetes.Interface, made []string) (Loss, error) {
	var lost Loss
	var failures []error
	for _, read := range []func() error{
		func() error { return lost.volumes(ctx, client) },
		func() error { return lost.services(ctx, client, made) },
		func() error { return lost.namespaces(ctx, client, made) },
	} {
		failures = append(failures, read())
	}
	return lost, errors.Join(failures...)
}

func (l *Loss) volumes(ctx context.Context, client kubernetes.Interface) error {
	claims, err := apiserver.List(ctx,
		client.CoreV1().PersistentVolumeClaims(metav1.NamespaceAll), metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("claims: %w", err)
	}
	for _, claim := range claims.Items {
		if claim.Status.Phase == corev1.ClaimBound {
			l.Volumes = append(l.Volumes,
				fmt.Sprintf("%s/%s (%s)", claim.Namespace, claim.Name,
					claim.Status.Capacity.Storage()))
		}
	}
	slices.Sort(l.Volumes)
	return nil
}

func (l *Loss) services(ctx context.Context, client kubernetes.Interface, made []string) error {
	services, err := apiserver.List(ctx, client.CoreV1().Services(metav1.NamespaceAll),
		metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("Services: %w", err)
	}
	for _, service := range services.Items {
		if service.Spec.Type != corev1.ServiceTypeLoadBalancer ||
			slices.Contains(made, service.Namespace) {
			continue
		}
		var at []string
		for _, ingress := range service.Status.LoadBalancer.Ingress {
			at = append(at, ingress.IP+ingress.Hostname)
		}
		if len(at) == 0 {
			at = []string{"no address yet"}
		}
		l.Services = append(l.Services, fmt.Sprintf("%s/%s (%s)", service.Namespace, service.Name,
			strings.Join(at, " ")))
	}
	slices.Sort(l.Services)
	return nil
}

func (l *Loss) namespaces(ctx context.Context, client kubernetes.Interface, made []string) error {
	namespaces, err := apiserver.List(ctx, client.CoreV1().Namespaces(), metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("namespaces: %w", err)
	}
	for _, namespace := range namespaces.Items {
		if !slices.Contains(made, namespace.Name) && !slices.Contains(builtin, namespace.Name) {
			l.Namespaces = append(l.Namespaces, namespace.Name)
		}
	}
	slices.Sort(l.Namespaces)
	return nil
}

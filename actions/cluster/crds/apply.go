package crds

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/dynamic"

	"strata/internal/kube/apiserver"
)

// applying is the number of concurrent requests. The objects do not depend on each other, and a
// busy API server needs a tenth of a second for each.
const applying = 8

// Apply applies the bundle to the cluster. It fails before the first change, and reports all
// obstacles at once, if another program owns a CRD or the cluster has a newer release.
func (b *Bundle) Apply(ctx context.Context, client dynamic.Interface, log io.Writer) error {
	refused := make([]error, len(b.Objects))
	err := b.forEach(ctx, func(ctx context.Context, i int, object *unstructured.Unstructured) error {
		found, err := apiserver.Ask(ctx, func(ctx context.Context) (*unstructured.Unstructured, error) {
			return b.resource(client, object).Get(ctx, object.GetName(), metav1.GetOptions{})
		})
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
		default:
			refused[i] = b.mayReplace(found)
		}
		return nil
	})
	if err := errors.Join(append(refused, err)...); err != nil {
		return err
	}
	err = b.forEach(ctx, func(ctx context.Context, _ int, object *unstructured.Unstructured) error {
		// The apply is not forced, so it conflicts if another field manager has changed a field;
		// the error names the manager.
		err := apiserver.Insist(ctx, func(ctx context.Context) error {
			_, err := b.resource(client, object).Apply(ctx, object.GetName(), object,
				metav1.ApplyOptions{FieldManager: Manager})
			return err
		})
		if err != nil {
			return fmt.Errorf("apply %s %s: %w", object.GetKind(), object.GetName(), err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(log, "%s %s: %d objects applied\n", b.Name, b.Version, len(b.Objects))
	return err
}

// forEach calls do for every object, at most applying at a time. After the first error it cancels
// the other calls and returns the error.
func (b *Bundle) forEach(
	ctx context.Context, do func(ctx context.Context, i int,
		object *unstructured.Unstructured) error,
) error {
	some, ctx := errgroup.WithContext(ctx)
	some.SetLimit(applying)
	for i, object := range b.Objects {
		some.Go(func() error { return do(ctx, i, object) })
	}
	return some.Wait()
}

func (b *Bundle) resource(
	client dynamic.Interface, object *unstructured.Unstructured,
) dynamic.ResourceInterface {
	return client.Resource(resources[object.GetKind()])
}

// mayReplace returns an error if another program owns the existing object found, or if found has a
// newer version than the bundle.
func (b *Bundle) mayReplace(found *unstructured.Unstructured) error {
	if owner := found.GetLabels()[BundleLabel]; owner != b.Name {
		return fmt.Errorf("%s %s is there already and belongs to %s; tell it not to install "+
			"CRDs, or delete them (which deletes every object of their kind)",
			found.GetKind(), found.GetName(), owners(found, owner))
	}
	installed, err := version.ParseGeneric(found.GetAnnotations()[VersionAnnotation])
	if err != nil {
		return fmt.Errorf("%s %s: annotation %s: %w", found.GetKind(), found.GetName(),
			VersionAnnotation, err)
	}
	wanted, err := version.ParseGeneric(b.Version)
	if err != nil {
		return fmt.Errorf("bundle %s: version: %w", b.Name, err)
	}
	if wanted.LessThan(installed) {
		return fmt.Errorf("%s %s is of %s v%s, newer than v%s: going back would drop fields that "+
			"stored objects use; keep the newer version",
			found.GetKind(), found.GetName(), b.Name, installed, wanted)
	}
	return nil
}

// owners returns the owner of an object for messages: its bundle, or its field managers.
func owners(found *unstructured.Unstructured, bundle string) string {
	if bundle != "" {
		return "Strata's bundle " + bundle
	}
	var names []string
	for _, entry := range found.GetManagedFields() {
		if entry.Subresource == "" && entry.Manager != "kube-apiserver" {
			names = append(names, entry.Manager)
		}
	}
	if len(names) == 0 {
		return "another program"
	}
	return strings.Join(names, ", ")
}

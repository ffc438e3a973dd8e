package adopt

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/retry"

	"strata/internal/kube/apiserver"
	"strata/internal/kube/conflict"
)

// manager is the field manager with which Pulumi's kubernetes provider creates objects. The field
// managers of its updates have it as a prefix (pulumi-kubernetes provider/pkg/await/await.go,
// provider.go fieldManagerName).
const manager = "pulumi-kubernetes"

// beforeCreate adopts an object that exists already, if the provider made it; otherwise it returns
// an error. It patches the object to the wanted inputs, with the field manager of the provider's
// create, so that the provider's server-side apply owns all fields. Otherwise a field whose value
// differs would always conflict, for example a password that was regenerated after a killed
// destroy.
func (c *Cluster) beforeCreate(ctx context.Context, inputs map[string]any) error {
	object, client, err := c.locateObject(ctx, inputs)
	if err != nil || client == nil {
		return err
	}
	wanted, err := json.Marshal(object.Object)
	if err != nil {
		return fmt.Errorf("%s: %w", displayName(object), err)
	}
	found, err := apiserver.Ask(ctx,
		func(ctx context.Context) (*unstructured.Unstructured, error) {
			return client.Get(ctx, object.GetName(), metav1.GetOptions{})
		})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: read whether it exists: %w", displayName(object), err)
	}
	if err := takeable(found); err != nil {
		return err
	}
	// A controller may change the object between the read and the patch.
	err = conflict.Retry(retry.DefaultBackoff, func() error {
		live, err := client.Patch(ctx, object.GetName(), types.MergePatchType, wanted,
			metav1.PatchOptions{FieldManager: manager})
		if err != nil {
			return err
		}
		free, err := findConflicts(ctx, client, wanted, live)
		if err != nil {
			return err
		}
		return handOver(ctx, client, live, free)
	})
	if err != nil {
		return fmt.Errorf("%s exists, from a run that was killed, and cannot be taken over: %w",
			displayName(object), err)
	}
	return nil
}

// locateObject returns the object of inputs and a client for its kind. The client is nil if no such
// object can exist yet: its kind is not served, or its name is generated, so that each create makes
// a new object.
func (c *Cluster) locateObject(
	ctx context.Context, inputs map[string]any,
) (*unstructured.Unstructured, dynamic.ResourceInterface, error) {
	object := &unstructured.Unstructured{Object: Clean(inputs)}
	if object.GetName() == "" {
		return object, nil, nil
	}
	client, _, err := c.kinds.Client(ctx, object, metav1.NamespaceDefault)
	return object, client, err
}

// takeable returns an error if an object must not be adopted: it is being deleted, or another
// program made it.
func takeable(found *unstructured.Unstructured) error {
	switch {
	case found.GetDeletionTimestamp() != nil:
		return fmt.Errorf("%s is being deleted since %s; run up again when it is gone (kubectl "+
			"get %s %s shows what holds it)",
			displayName(found), found.GetDeletionTimestamp().UTC().Format("15:04:05"),
			strings.ToLower(found.GetKind()), found.GetName())
	case !slices.ContainsFunc(managers(found), isOurs) && !bare(found):
		return fmt.Errorf("%s exists and this program did not make it (field managers: %s); "+
			"rename it or delete it, or take it over with pulumi import",
			displayName(found), strings.Join(managers(found), ", "))
	}
	return nil
}

// Clean returns the inputs of an object without status and without the provider's internal keys.
func Clean(inputs map[string]any) map[string]any {
	object := map[string]any{}
	for key, value := range inputs {
		if !strings.HasPrefix(key, "__") && key != "status" {
			object[key] = value
		}
	}
	return object
}

// bare reports whether an object is a Namespace with only a name and without a field manager. The
// provider's apply of such a Namespace sets no field, so the API server records no manager; the
// provider may have made it.
func bare(found *unstructured.Unstructured) bool {
	labels := found.GetLabels()
	delete(labels, "kubernetes.io/metadata.name") // the API server sets it
	return found.GetKind() == "Namespace" && len(found.GetManagedFields()) == 0 &&
		len(labels) == 0 && len(found.GetAnnotations()) == 0
}

func managers(found metav1.Object) []string {
	var names []string
	for _, entry := range found.GetManagedFields() {
		names = append(names, entry.Manager)
	}
	return names
}

// displayName returns the name of an object for messages.
func displayName(object *unstructured.Unstructured) string {
	name := object.GetName()
	if object.GetNamespace() != "" {
		name = object.GetNamespace() + "/" + name
	}
	return object.GetKind() + " " + name
}

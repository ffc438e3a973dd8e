package adopt

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/stack/recovery"
)

// helmManagers are the prefixes of the field manager of Helm's records that Pulumi's kubernetes
// provider writes. The manager is the provider's own user agent, or client-go's default, the name
// of the program (tests/conformance verifies that it is one of them).
var helmManagers = []string{"pulumi-resource-kubernetes", "pulumi-kubernetes"}

// beforeRelease prepares the cluster for a Helm release. The program ends processes of a dead run
// before it registers resources, so no process writes to the records meanwhile.
func (c *Cluster) beforeRelease(ctx context.Context, known bool, inputs map[string]any) error {
	name, _ := inputs["name"].(string)
	namespace, _ := inputs["namespace"].(string)
	if name == "" {
		return nil // the provider names it, so each create makes another one
	}
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	what := fmt.Sprintf("Helm release %s/%s", namespace, name)
	records, err := c.kube.CoreV1().Secrets(namespace).List(ctx,
		metav1.ListOptions{LabelSelector: "owner=helm,name=" + name})
	if err != nil {
		return fmt.Errorf("%s: read whether it exists: %w", what, err)
	}
	for i := range records.Items {
		if revision := records.Items[i].Labels["version"]; !known &&
			!recordIsOurs(&records.Items[i]) {
			return fmt.Errorf("%s exists and this program did not install its revision %s; "+
				"uninstall it (helm uninstall -n %s %s), or take it over with pulumi import",
				what, revision, namespace, name)
		}
	}
	for i := range records.Items {
		record := &records.Items[i]
		if err := c.adoptRecord(ctx, known, record); err != nil {
			return fmt.Errorf("%s, from a run that was killed: record %s: %w", what,
				record.Name, err)
		}
	}
	return nil
}

// adoptRecord marks the record of one revision as failed, or deletes it. Helm refuses to upgrade a
// release with a pending record, so adoptRecord marks it failed, as Helm marks a release that it
// gave up itself. Helm refuses to install under a name that has any record, so adoptRecord deletes
// them. The install then takes over the objects that carry the release's name
// (helm.sh/helm/v3/pkg/action/validate.go, existingResourceConflict). If a helm still runs, either
// change is a conflict.
func (c *Cluster) adoptRecord(ctx context.Context, known bool, record *corev1.Secret) error {
	pending := strings.HasPrefix(record.Labels["status"], "pending-")
	switch {
	case known && pending:
		return recovery.MarkFailed(ctx, c.kube, record)
	case known:
		return nil
	}
	err := c.kube.CoreV1().Secrets(record.Namespace).Delete(ctx, record.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &record.UID,
			ResourceVersion: &record.ResourceVersion},
	})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// recordIsOurs reports whether the provider wrote a revision's record.
func recordIsOurs(record *corev1.Secret) bool {
	for _, entry := range record.ManagedFields {
		for _, one := range helmManagers {
			if strings.HasPrefix(entry.Manager, one) {
				return true
			}
		}
	}
	return false
}

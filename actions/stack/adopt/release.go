package adopt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/stack/recovery"
)

// helmManagers lists the prefixes of the field manager with which Pulumi's kubernetes provider
// writes Helm's records: its user agent, or client-go's default, which is the program's name
// (verified in tests/conformance).
var helmManagers = []string{"pulumi-resource-kubernetes", "pulumi-kubernetes"}

// beforeRelease adopts the existing records of a Helm release. It returns an error if the release
// is new in the state but another program has installed it. No process of an interrupted run writes
// the records at the same time, because the program kills such processes before it registers
// resources.
func (c *Cluster) beforeRelease(ctx context.Context, known bool, inputs map[string]any) error {
	name, _ := inputs["name"].(string)
	namespace, _ := inputs["namespace"].(string)
	if name == "" {
		return nil // the provider generates the name, so each create makes a new release
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

// adoptRecord makes one revision's record harmless for the next Helm operation. If the state
// contains the release, it marks a pending record as failed, because Helm refuses to upgrade with a
// pending record. If not, it deletes the record, because Helm refuses to install under a name that
// has records. The install then adopts the objects with the release's annotations
// (helm.sh/helm/v3/pkg/action/validate.go, existingResourceConflict). If Helm is still writing,
// either change fails with a conflict.
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

// recordIsOurs reports whether the kubernetes provider wrote a revision's record.
func recordIsOurs(record *corev1.Secret) bool {
	return slices.ContainsFunc(managers(record), func(name string) bool {
		return slices.ContainsFunc(helmManagers,
			func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	})
}

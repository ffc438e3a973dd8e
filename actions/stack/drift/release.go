package drift

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/kube/apiserver"
	"strata/internal/kube/helmrecord"
)

// lostRelease is a release of which Helm has no record: it was uninstalled, or its records were
// deleted.
type lostRelease struct{ resource, namespace, name string }

// readRelease returns the objects of a release's newest revision, from Helm's record. It returns
// none if that revision is not deployed: its upgrade has failed, and the next update repeats it.
// recorded is false if there is no record.
func (c *cluster) readRelease(
	ctx context.Context, resource, namespace, name string,
) (all []wanted, recorded bool, err error) {
	list, err := apiserver.Ask(ctx, func(ctx context.Context) (*corev1.SecretList, error) {
		return c.kube.CoreV1().Secrets(namespace).List(ctx, metav1.ListOptions{
			LabelSelector: helmrecord.Selector(name)})
	})
	if err != nil || len(list.Items) == 0 {
		return nil, false, err
	}
	newest := helmrecord.Newest(list.Items)
	if newest.Labels["status"] != "deployed" {
		return nil, true, nil
	}
	record, err := helmrecord.Decode(newest)
	if err != nil {
		return nil, true, err
	}
	manifest, _ := record["manifest"].(string)
	all, err = parseManifest(resource, namespace, manifest)
	return all, true, err
}

// record writes the record of a release without objects, so that the provider's update can upgrade
// it. Without a record, Helm refuses an upgrade, and the provider refuses to delete the release.
func (c *cluster) record(ctx context.Context, lost lostRelease) error {
	now := time.Now().UTC().Format(time.RFC3339)
	data, err := helmrecord.Encode(map[string]any{
		"name": lost.name, "namespace": lost.namespace, "version": 1,
		"info":  map[string]any{"status": "deployed", "first_deployed": now, "last_deployed": now},
		"chart": map[string]any{"metadata": map[string]any{"name": lost.name, "version": "0.0.0"}},
	})
	if err != nil {
		return err
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("sh.helm.release.v1.%s.v1", lost.name), Namespace: lost.namespace,
			Labels: map[string]string{"owner": "helm", "name": lost.name, "status": "deployed",
				"version": "1"},
		},
		Type: "helm.sh/release.v1", Data: data,
	}
	_, err = c.kube.CoreV1().Secrets(lost.namespace).Create(ctx, secret,
		metav1.CreateOptions{FieldManager: Manager})
	if err != nil {
		return fmt.Errorf("record of release %s/%s: %w", lost.namespace, lost.name, err)
	}
	return nil
}

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

// release is a release without a newest revision that is deployed.
type release struct {
	resource, namespace, name string
	// status is that of the newest revision, for example pending-upgrade after a killed update. If it
	// is empty, Helm has no record: the release was uninstalled, or its records were deleted.
	status string
}

// difference returns the difference of the whole release.
func (r release) difference() Difference {
	found := Difference{Resource: r.resource, Verdict: Missing,
		Thing: "Release/" + r.namespace + "/" + r.name}
	if r.status != "" {
		found.Verdict, found.Evidence = Changed, "its status is "+r.status
	}
	return found
}

// readRelease returns the objects of a release's newest revision, from Helm's record. It returns
// none, but the release, if that revision is not deployed.
func (c *cluster) readRelease(
	ctx context.Context, resource, namespace, name string,
) (all []wanted, broken *release, err error) {
	list, err := apiserver.Ask(ctx, func(ctx context.Context) (*corev1.SecretList, error) {
		return c.kube.CoreV1().Secrets(namespace).List(ctx, metav1.ListOptions{
			LabelSelector: helmrecord.Selector(name)})
	})
	if err != nil {
		return nil, nil, err
	}
	broken = &release{resource: resource, namespace: namespace, name: name}
	if len(list.Items) == 0 {
		return nil, broken, nil
	}
	newest := helmrecord.Newest(list.Items)
	if broken.status = newest.Labels["status"]; broken.status != "deployed" {
		return nil, broken, nil
	}
	record, err := helmrecord.Decode(newest)
	if err != nil {
		return nil, nil, err
	}
	manifest, _ := record["manifest"].(string)
	all, err = parseManifest(resource, namespace, manifest)
	return all, nil, err
}

// RecordReleases writes a record without objects for each release without a record, so that an
// update can upgrade, replace or delete it. Without a record, Helm refuses an upgrade, and the
// provider refuses a delete. The record is one of a failed release, so that an update that is killed
// before the upgrade is repeated (helm.sh/helm/v3/pkg/action/upgrade.go, prepareUpgrade).
func (r *Report) RecordReleases(ctx context.Context) error {
	for _, one := range r.broken {
		if one.status == "" {
			if err := r.cluster.record(ctx, one); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *cluster) record(ctx context.Context, lost release) error {
	now := time.Now().UTC().Format(time.RFC3339)
	data, err := helmrecord.Encode(map[string]any{
		"name": lost.name, "namespace": lost.namespace, "version": 1,
		"info":  map[string]any{"status": "failed", "first_deployed": now, "last_deployed": now},
		"chart": map[string]any{"metadata": map[string]any{"name": lost.name, "version": "0.0.0"}},
	})
	if err != nil {
		return err
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("sh.helm.release.v1.%s.v1", lost.name), Namespace: lost.namespace,
			Labels: map[string]string{"owner": "helm", "name": lost.name, "status": "failed",
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

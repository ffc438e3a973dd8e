package drift

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/kube/apiserver"
	"strata/internal/kube/helmrecord"
)

// release is a Helm release whose newest revision is not deployed.
type release struct {
	resource, namespace, name string
	// status is the newest revision's status, for example pending-upgrade after a killed update. If
	// it is empty, Helm has no record: the release was uninstalled, or its records were deleted.
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

// readRelease returns the objects of a release's newest revision, from Helm's record. If that
// revision is not deployed, it returns the release instead.
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

// RecordReleases writes a record for each release that has none, so that an update can upgrade,
// replace or delete it.
func (r *Report) RecordReleases(ctx context.Context) error {
	for _, one := range r.broken {
		if err := helmrecord.RecordMissing(ctx, r.cluster.kube, one.namespace, one.name); err != nil {
			return err
		}
	}
	return nil
}

package helmrecord

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// RecordMissing writes a record without objects for a release that has no record, because Helm can
// then upgrade or delete the release. The record has status failed, so that users notice it if no
// upgrade follows (helm.sh/helm/v3/pkg/action/upgrade.go, prepareUpgrade). RecordMissing creates
// the namespace if it does not exist.
func RecordMissing(
	ctx context.Context, client kubernetes.Interface, namespace, name string,
) error {
	secrets := client.CoreV1().Secrets(namespace)
	list, err := secrets.List(ctx, metav1.ListOptions{LabelSelector: Selector(name)})
	if err != nil || len(list.Items) > 0 {
		return err
	}
	now := time.Now().UTC().Format(time.RFC3339)
	data, err := Encode(map[string]any{
		"name": name, "namespace": namespace, "version": 1,
		"info":  map[string]any{"status": "failed", "first_deployed": now, "last_deployed": now},
		"chart": map[string]any{"metadata": map[string]any{"name": name, "version": "0.0.0"}},
	})
	if err != nil {
		return err
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("sh.helm.release.v1.%s.v1", name), Namespace: namespace,
			Labels: map[string]string{"owner": "helm", "name": name, "status": "failed",
				"version": "1"},
		},
		Type: "helm.sh/release.v1", Data: data,
	}
	_, err = secrets.Create(ctx, secret, metav1.CreateOptions{})
	if apierrors.IsNotFound(err) {
		home := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
		if _, err = client.CoreV1().Namespaces().Create(ctx, home, metav1.CreateOptions{}); err == nil {
			_, err = secrets.Create(ctx, secret, metav1.CreateOptions{})
		}
	}
	if err != nil {
		return fmt.Errorf("record of release %s/%s: %w", namespace, name, err)
	}
	return nil
}

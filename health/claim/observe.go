package claim

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health/kube"
)

func readClaim(ctx context.Context, s *kube.APIServer, spec Spec) (claimFacts, error) {
	claim, err := kube.Get[corev1.PersistentVolumeClaim](ctx, s, kube.ClaimResource, spec.Namespace,
		spec.Name)
	if err != nil || claim == nil {
		return claimFacts{Missing: err == nil}, err
	}
	facts := claimFacts{Phase: string(claim.Status.Phase)}
	if claim.Spec.StorageClassName != nil {
		facts.Class = *claim.Spec.StorageClassName
	}
	if claim.Status.Phase != corev1.ClaimPending {
		return facts, nil
	}
	classes, err := kube.List[storageClass](ctx, s, kube.StorageClassResource, "",
		metav1.ListOptions{})
	if err != nil {
		return facts, err
	}
	facts.classes(classes)
	events, err := kube.List[corev1.Event](ctx, s, kube.EventResource, spec.Namespace,
		metav1.ListOptions{FieldSelector: "type=Warning"})
	facts.Events = kube.EventLines(kube.WarningsOf(events, string(claim.UID)))
	return facts, err
}

// storageClass holds the fields of a StorageClass that a gate reads.
type storageClass struct {
	metav1.ObjectMeta `json:"metadata"`
	Provisioner       string `json:"provisioner"`
}

// defaultClass is the annotation of the StorageClass for claims that name no class.
const defaultClass = "storageclass.kubernetes.io/is-default-class"

func (f *claimFacts) classes(all []storageClass) {
	for _, class := range all {
		f.Classes = append(f.Classes, class.Name)
		if class.Annotations[defaultClass] == "true" {
			f.Default = class.Name
		}
	}
	for _, class := range all {
		if class.Name == f.className() {
			f.Provisioner = class.Provisioner
		}
	}
}

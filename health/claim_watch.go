package health

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type claimWatch struct {
	spec    ClaimSpec
	cluster *cluster
	settled *settled
}

func newClaim(spec Spec, secrets Secrets) (Watch, error) {
	all, err := newClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	return &claimWatch{spec: *spec.Claim, cluster: all, settled: newSettled(time.Now)}, nil
}

// Run implements Watch.
func (w *claimWatch) Run(ctx context.Context, report func([]Verdict)) error {
	sources := []source{{resource: claimResource, namespace: w.spec.Namespace, name: w.spec.Name}, {resource: storageClassResource}}
	w.cluster.observe(ctx, sources, func(ctx context.Context) []Verdict { return judgeClaim(w.spec, w.look(ctx)) }, report)
	return nil
}

func (w *claimWatch) look(ctx context.Context) claimFacts {
	var facts claimFacts
	fault, seconds := w.cluster.look(ctx, w.settled, func(ctx context.Context, s *apiServer) (err error) {
		facts, err = readClaim(ctx, s, w.spec)
		return err
	})
	if fault != nil {
		return claimFacts{Fault: fault, Seconds: seconds}
	}
	facts.Seconds = w.settled.seconds("class", facts.Phase+facts.Class+"/"+facts.Default+"/"+facts.Provisioner)
	return facts
}

func readClaim(ctx context.Context, s *apiServer, spec ClaimSpec) (claimFacts, error) {
	claim, err := get[corev1.PersistentVolumeClaim](ctx, s, claimResource, spec.Namespace, spec.Name)
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
	classes, err := list[storageClass](ctx, s, storageClassResource, "", metav1.ListOptions{})
	if err != nil {
		return facts, err
	}
	facts.classes(classes)
	events, err := list[corev1.Event](ctx, s, eventResource, spec.Namespace, metav1.ListOptions{FieldSelector: "type=Warning"})
	facts.Events = eventLines(warningsOf(events, string(claim.UID)))
	return facts, err
}

// storageClass is what a gate reads of a StorageClass.
type storageClass struct {
	metav1.ObjectMeta `json:"metadata"`
	Provisioner       string `json:"provisioner"`
}

// defaultClass marks the class that a claim gets which names none.
const defaultClass = "storageclass.kubernetes.io/is-default-class"

func (f *claimFacts) classes(all []storageClass) {
	for _, class := range all {
		f.Classes = append(f.Classes, class.Name)
		if class.Annotations[defaultClass] == "true" {
			f.Default = class.Name
		}
	}
	for _, class := range all {
		if class.Name == f.wanted() {
			f.Provisioner = class.Provisioner
		}
	}
}

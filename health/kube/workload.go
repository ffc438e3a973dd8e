package kube

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
)

// WorkloadFacts describes one Deployment, DaemonSet or StatefulSet with the Pods of its newest
// revision.
type WorkloadFacts struct {
	Namespace string `json:"namespace"`
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Missing   bool   `json:"missing,omitempty"`
	// Current is true when the controller has seen the newest generation. Otherwise the fields
	// below describe an older generation.
	Current bool `json:"current,omitempty"`
	// Desired counts the Pods that the workload should have, Updated the Pods of the newest
	// revision, and Available those of them that are available. Old counts the remaining Pods of
	// earlier revisions.
	Desired   int32 `json:"desired,omitempty"`
	Updated   int32 `json:"updated,omitempty"`
	Available int32 `json:"available,omitempty"`
	Old       int32 `json:"old,omitempty"`
	// Refused says why Pods could not even be created, for example an exceeded quota.
	Refused string `json:"refused,omitempty"`
	// Admitted is true if the API server would create such a Pod by now.
	Admitted bool `json:"admitted,omitempty"`
	// Within is the reason why the namespace does not admit the workload's Pods; empty if it admits
	// them. It is read only while the workload does not exist or its Pods are refused.
	Within string `json:"within,omitempty"`
	// Blocker is a StatefulSet's Pod of an earlier revision that is not Ready. Until it is Ready,
	// no Pod of the newest revision is created.
	Blocker string     `json:"blocker,omitempty"`
	Pods    []podFacts `json:"pods,omitempty"`
	// Images lists the running containers whose images were recorded.
	Images []runningImage `json:"images,omitempty"`
	// ordered is true if the Pods of a StatefulSet are replaced one after the other, each when the
	// previous one is Ready.
	ordered bool
	// selector selects the workload's Pods.
	selector *metav1.LabelSelector
	// template is the workload's Pod template.
	template corev1.PodTemplateSpec
}

func (w WorkloadFacts) check() string {
	return "workload " + w.Namespace + "/" + w.Kind + "/" + w.Name
}

// JudgeWorkload judges whether a workload is rolled out: its newest revision is available and no
// Pod of an older one is left, so the Pods that answer now stay. Otherwise the verdict gives the
// Pods' reasons. A workload scaled to 0 is not Ready; a configuration that wants no Pods must omit
// the workload from the gate.
func JudgeWorkload(w WorkloadFacts) health.Verdict {
	v := health.Verdict{Check: w.check(), State: health.Waiting,
		Hint: fmt.Sprintf("kubectl -n %s describe %s %s", w.Namespace, strings.ToLower(w.Kind),
			w.Name)}
	switch {
	case w.Missing:
		v.Message, v.Cause = "does not exist", w.Within
		v.Hint = fmt.Sprintf("kubectl -n %s get %ss,pods", w.Namespace, strings.ToLower(w.Kind))
		w.hintWithin(&v)
		return v
	case !w.Current:
		v.Message = "its controller has not seen the newest generation"
		return v
	case w.Updated < w.Desired || w.Available < w.Desired || w.Old > 0:
	case w.Desired == 0:
		w.explainNone(&v)
		return v
	default:
		return w.judgeImages()
	}
	v.Message = fmt.Sprintf("%d/%d updated, %d/%d available", w.Updated, w.Desired, w.Available,
		w.Desired)
	if w.Old > 0 {
		v.Message += fmt.Sprintf(", %d old", w.Old)
	}
	switch {
	case w.Refused != "" && w.Admitted:
		w.judgeAdmitted(&v)
		return v
	case w.Refused != "":
		w.judgeRefusal(&v)
		return v
	}
	if w.Blocker != "" && len(w.Pods) == 0 {
		v.Cause = "Pod " + w.Blocker + " is of an earlier revision and not Ready, and Kubernetes waits until it is"
		v.Hint = fmt.Sprintf("if it cannot become Ready: kubectl -n %s delete pod %s", w.Namespace,
			w.Blocker)
		return v
	}
	w.explain(&v)
	return v
}

// explainNone says why the workload has no desired Pods.
func (w WorkloadFacts) explainNone(v *health.Verdict) {
	kind := strings.ToLower(w.Kind)
	if w.Kind == "DaemonSet" {
		v.Message = "no node is to run it"
		v.Cause = fmt.Sprintf("no node suits DaemonSet %s/%s: its nodeSelector, affinity or "+
			"tolerations", w.Namespace, w.Name)
		v.Hint = fmt.Sprintf("kubectl -n %s get %s %s -o yaml; kubectl get nodes --show-labels",
			w.Namespace, kind, w.Name)
		return
	}
	v.Message = "scaled to 0"
	v.Cause = fmt.Sprintf("%s %s/%s is scaled to 0", w.Kind, w.Namespace, w.Name)
	v.Hint = fmt.Sprintf("kubectl -n %s scale %s %s --replicas=1", w.Namespace, kind, w.Name)
}

// explain adds the worst fault of the Pods to a verdict, and all of their events as evidence.
func (w WorkloadFacts) explain(v *health.Verdict) {
	var worst *trouble
	for _, pod := range w.Pods {
		t, found := podTrouble(w.Namespace, pod)
		if !found {
			continue
		}
		for _, line := range pod.Events {
			v.Evidence = append(v.Evidence, "Pod "+pod.Name+": "+line)
		}
		if worst == nil || t.state == health.Stuck && worst.state != health.Stuck {
			worst = &t
		}
	}
	if worst == nil {
		return
	}
	v.State, v.Cause, v.Hint = worst.state, worst.cause, worst.hint
	v.Message += "; " + worst.text
}

package podcheck

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"strata/artifacts/manifest"
)

// workload has the fields that the rules need of a built-in kind or of an Argo Rollout.
type workload struct {
	Template corev1.PodTemplateSpec `json:"template"`
	Spec     struct {
		Replicas       *int32                  `json:"replicas"`
		Strategy       strategy                `json:"strategy"`
		UpdateStrategy strategy                `json:"updateStrategy"`
		Template       corev1.PodTemplateSpec  `json:"template"`
		JobTemplate    batchv1.JobTemplateSpec `json:"jobTemplate"`
	} `json:"spec"`
}

// strategy has the fields of a Deployment's, a DaemonSet's or a Rollout's strategy.
type strategy struct {
	appsv1.DeploymentStrategy `json:",inline"`
	Canary                    *appsv1.RollingUpdateDeployment `json:"canary"`
}

// workloads has the kinds that always have a Pod specification; true if their Pods take requests.
var workloads = map[string]bool{
	"Pod": true, "Deployment": true, "StatefulSet": true, "DaemonSet": true, "ReplicaSet": true,
	"ReplicationController": true, "Rollout": true,
	"PodTemplate": false, "Job": false, "CronJob": false,
}

// isWorkload reports whether an object must have a Pod specification. It returns false for a
// Rollout that refers to a Deployment.
func isWorkload(o manifest.Manifest) bool {
	_, known := workloads[o.GetKind()]
	_, refers, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "workloadRef")
	return known && !refers &&
		slices.Contains([]string{"", "apps", "batch", "argoproj.io"}, o.GroupVersionKind().Group)
}

// readWorkload returns the Pods of a workload, or errors for fields that the rules need and cannot
// read.
func readWorkload(o manifest.Manifest) ([]subject, []error) {
	s := subject{serves: workloads[o.GetKind()]}
	path, template, into := field.NewPath("spec", "template"), &s.Spec.Template, any(&s.workload)
	switch o.GetKind() {
	case "Pod":
		path, template, into = nil, &s.Template, &s.Template
	case "PodTemplate":
		path, template = field.NewPath("template"), &s.Template
	case "CronJob":
		path = field.NewPath("spec", "jobTemplate", "spec", "template")
		template = &s.Spec.JobTemplate.Spec.Template
	}
	if wrong := convert(nil, o.Object, into); len(wrong) > 0 {
		return nil, wrong
	}
	s.path, s.pod, s.labels = path.Child("spec"), template.Spec, template.Labels
	if len(s.pod.Containers) == 0 || slices.ContainsFunc(s.pod.Containers,
		func(one corev1.Container) bool { return one.Name == "" }) {
		return nil, []error{fmt.Errorf("%s.containers: expected containers with names", s.path)}
	}
	return []subject{s}, nil
}

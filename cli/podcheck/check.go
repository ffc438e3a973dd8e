package podcheck

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"strata/artifacts/manifest"
)

// Check checks every Pod specification, in any kind of object and at any depth.
func Check(objects []manifest.Manifest, options Options) Report {
	c := checker{Options: options, related: relate(objects)}
	c.report = Report{
		Findings: []Finding{}, Patches: []map[string]any{}, Pods: []string{},
		Without: map[string]int{}, CertificateOnly: map[string]int{},
	}
	for _, o := range objects {
		pods := specifications(nil, o.Object)
		if len(pods) == 0 {
			c.report.Without[o.GetKind()]++
		}
		for _, pod := range pods {
			c.check(o, pod)
		}
	}
	return c.report
}

// checker checks the objects of one call together, because rules compare Pods with Services and
// budgets.
type checker struct {
	Options
	related related
	report  Report
}

// subject is one Pod specification with the object that contains it.
type subject struct {
	manifest.Manifest
	place string
	path  *field.Path
	pod   corev1.PodSpec
	// labels are the Pods' labels.
	labels map[string]string
	skip   []string
	patch  patch
}

// check runs the rules for one Pod specification of an object.
func (c *checker) check(o manifest.Manifest, found specification) {
	s := subject{Manifest: o, path: found.path,
		place: fmt.Sprintf("%s: %s: %s", o.File, o.Title(), found.path)}
	fields := found.mounts()
	if takesRules(o) {
		fields = found.fields
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &s.pod); err != nil {
		c.report.Unread = append(c.report.Unread, fmt.Errorf("%s: %w", s.place, err))
		return
	}
	skip, err := ParseSkip(o.GetAnnotations()[SkipAnnotation])
	if err != nil {
		c.report.Unread = append(c.report.Unread,
			fmt.Errorf("%s: annotation %s: %w", s.place, SkipAnnotation, err))
	}
	s.skip = slices.Concat(c.Skip, skip)
	s.labels = podLabels(o, found.path)
	s.patch = newPatch(o, found.path)
	c.report.Pods = append(c.report.Pods, s.place)
	if !takesRules(o) {
		c.report.CertificateOnly[o.GetKind()]++
	}
	c.checkCertificates(&s)
	if containers := c.pickServing(&s); len(containers) > 0 {
		c.checkContainers(&s, containers)
		c.checkReplicas(&s)
	}
	c.report.Patches = append(c.report.Patches, s.patch.documents()...)
}

// addFinding records a finding unless its rule is skipped. It returns true if it recorded the
// finding.
func (c *checker) addFinding(s *subject, rule, problem, fix string) bool {
	if slices.Contains(s.skip, rule) {
		return false
	}
	c.report.Findings = append(c.report.Findings, Finding{s.place, rule, problem, fix})
	return true
}

// podLabels returns the labels that belong to a Pod specification: those in the metadata of the Pod
// or of its template.
func podLabels(o manifest.Manifest, path *field.Path) map[string]string {
	keys := append(parents(path), "metadata", "labels")
	labels, _, _ := unstructured.NestedStringMap(o.Object, keys...)
	return labels
}

// namespaceOf returns an object's namespace. For an object without one it returns default: all such
// objects are applied to the same namespace, whatever its name.
func namespaceOf(o manifest.Manifest) string { return cmp.Or(o.GetNamespace(), "default") }

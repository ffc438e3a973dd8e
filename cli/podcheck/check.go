package podcheck

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"strata/artifacts/manifest"
)

// Check checks every Pod specification, in any kind of object and at any depth.
func Check(objects []manifest.Manifest, options Options) Report {
	c := checker{Options: options}
	c.report = Report{
		Findings: []Finding{}, Patches: []map[string]any{}, Pods: []string{},
		Without: map[string]int{}, CertificateOnly: map[string]int{},
	}
	c.relate(objects)
	for _, o := range objects {
		subjects, wrong := specifications(nil, o.Object), []error(nil)
		if isWorkload(o) {
			subjects, wrong = readWorkload(o)
			c.refuse(o, wrong...)
		}
		if len(subjects)+len(wrong) == 0 {
			c.report.Without[o.GetKind()]++
		}
		for _, s := range subjects {
			s.Manifest, s.namespace = o, c.related.namespaceOf(o)
			c.check(&s)
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

// refuse records errors about an object that cannot be read.
func (c *checker) refuse(o manifest.Manifest, wrong ...error) {
	for _, err := range wrong {
		c.report.Unread = append(c.report.Unread,
			fmt.Errorf("%s: %s: %w", o.File, o.Title(), err))
	}
}

// subject is one Pod specification with the object that contains it.
type subject struct {
	manifest.Manifest
	workload
	namespace string
	place     string
	path      *field.Path
	pod       corev1.PodSpec
	// labels are the Pods' labels.
	labels map[string]string
	// serves is true if the rules about lost requests apply to the Pods.
	serves bool
	skip   []string
	patch  patch
}

// check runs the rules for one Pod specification.
func (c *checker) check(s *subject) {
	s.place = fmt.Sprintf("%s: %s: %s", s.File, s.Title(), s.path)
	skip, err := ParseSkip(s.GetAnnotations()[SkipAnnotation])
	if err != nil {
		c.refuse(s.Manifest, fmt.Errorf("%s: annotation %s: %w", s.path, SkipAnnotation, err))
	}
	s.skip = slices.Concat(c.Skip, skip)
	s.patch = newPatch(s)
	c.report.Pods = append(c.report.Pods, s.place)
	if !s.serves {
		c.report.CertificateOnly[s.GetKind()]++
	}
	c.checkCertificates(s)
	if containers := c.pickServing(s); len(containers) > 0 {
		c.checkContainers(s, containers)
		c.checkReplicas(s)
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

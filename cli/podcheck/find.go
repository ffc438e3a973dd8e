package podcheck

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"strata/artifacts/manifest"
)

// Finding is a Pod specification that may start before its certificate exists.
type Finding struct {
	// Place names file, object and path, and Volume is the volume's name.
	Place, Volume string
	// Secret is the certificate's Secret.
	Secret string
	// Rule is the broken rule, and Fix the repair.
	Rule, Fix string
}

func (f Finding) String() string {
	return fmt.Sprintf("%s: volume %s of Secret %s %s; %s", f.Place, f.Volume, f.Secret, f.Rule, f.Fix)
}

// Report holds the checked Pods and the findings.
type Report struct {
	Findings []Finding
	// Pods are the places of the readable Pod specifications, and Unread has one error for each of
	// the others.
	Pods   []string
	Unread []error
	// Without counts the objects that have no Pod specification, by kind.
	Without map[string]int
}

// String lists the places of the Pods, and counts the objects without one.
func (r Report) String() string {
	lines := []string{fmt.Sprintf("checked %d Pod specifications:", len(r.Pods))}
	for _, place := range r.Pods {
		lines = append(lines, "  "+place)
	}
	for _, kind := range slices.Sorted(maps.Keys(r.Without)) {
		lines = append(lines, fmt.Sprintf("no Pod specification in %d of kind %s", r.Without[kind], kind))
	}
	return strings.Join(lines, "\n")
}

// Find checks every Pod specification, in any kind of object and at any depth.
func Find(objects []manifest.Manifest) Report {
	issued := map[string]bool{}
	for _, o := range objects {
		if o.GetKind() == "Certificate" && strings.HasPrefix(o.GetAPIVersion(), "cert-manager.io/") {
			name, _, _ := unstructured.NestedString(o.Object, "spec", "secretName")
			issued[namespaceOf(o)+"/"+name] = true
		}
	}
	report := Report{Without: map[string]int{}}
	for _, o := range objects {
		pods := specifications(nil, o.Object)
		if len(pods) == 0 {
			report.Without[o.GetKind()]++
		}
		for _, pod := range pods {
			report.look(o, pod, issued)
		}
	}
	return report
}

// look checks one Pod specification of an object.
func (r *Report) look(o manifest.Manifest, found specification, issued map[string]bool) {
	place := fmt.Sprintf("%s: %s: %s", o.File, o.Title(), found.path)
	var pod corev1.PodSpec
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(found.mounts(), &pod); err != nil {
		r.Unread = append(r.Unread, fmt.Errorf("%s: %w", place, err))
		return
	}
	r.Pods = append(r.Pods, place)
	for _, mounted := range certificates(pod, namespaceOf(o), issued) {
		if rule, fix := judge(pod, mounted); rule != "" {
			r.Findings = append(r.Findings, Finding{place, mounted.volume, mounted.secret, rule, fix})
		}
	}
}

// source is a part of a volume that comes from a certificate's Secret.
type source struct {
	volume, secret string
	optional       bool
}

// certificates returns the certificates' Secrets among a Pod's volumes, projected ones included.
func certificates(pod corev1.PodSpec, namespace string, issued map[string]bool) []source {
	var found []source
	add := func(volume, secret string, optional *bool, items []corev1.KeyToPath) {
		if issued[namespace+"/"+secret] || isIssued(secret, items) {
			found = append(found, source{volume, secret, optional != nil && *optional})
		}
	}
	for _, volume := range pod.Volumes {
		if s := volume.Secret; s != nil {
			add(volume.Name, s.SecretName, s.Optional, s.Items)
		}
		if volume.Projected == nil {
			continue
		}
		for _, part := range volume.Projected.Sources {
			if part.Secret != nil {
				add(volume.Name, part.Secret.Name, part.Secret.Optional, part.Secret.Items)
			}
		}
	}
	return found
}

// isIssued reports whether the keys or the name of a Secret look like a certificate's, for a Secret
// whose Certificate is in none of the files.
func isIssued(secret string, items []corev1.KeyToPath) bool {
	for _, item := range items {
		if item.Key == corev1.TLSCertKey || item.Key == corev1.TLSPrivateKeyKey {
			return true
		}
	}
	return slices.ContainsFunc([]string{"-tls", "-cert", "-certificate"}, func(end string) bool {
		return strings.HasSuffix(secret, end)
	})
}

// judge returns the rule that a Pod breaks with a certificate, and the fix; empty if the Pod waits
// for it.
func judge(pod corev1.PodSpec, mounted source) (rule, fix string) {
	at := slices.IndexFunc(pod.InitContainers, func(c corev1.Container) bool { return waits(c, mounted.volume) })
	switch {
	case at < 0 && mounted.optional:
		return "is optional, and no init container waits for it: the application starts without its certificate",
			"add the init container cert-wait (docs/workloads.md)"
	case at < 0:
		return "is there or the Pod does not start: kubelet tries again ever more rarely",
			"set optional: true, and add the init container cert-wait (docs/workloads.md)"
	case !mounted.optional:
		return "is not optional, so kubelet never starts the init container that waits for it",
			"set optional: true"
	}
	for _, earlier := range pod.InitContainers[:at] {
		if slices.ContainsFunc(earlier.VolumeMounts, func(m corev1.VolumeMount) bool {
			return m.Name == mounted.volume
		}) {
			return "is mounted by init container " + earlier.Name +
				", which runs before the one that waits for it", "put cert-wait first"
		}
	}
	return "", ""
}

// waits reports whether a container is cert-wait for a volume: its image has that name, and it
// mounts the volume at the folder that it checks.
func waits(c corev1.Container, volume string) bool {
	name := c.Image[strings.LastIndex(c.Image, "/")+1:]
	name, _, _ = strings.Cut(name, "@")
	name, _, _ = strings.Cut(name, ":")
	if name != "cert-wait" {
		return false
	}
	words := append(slices.Clone(c.Command), c.Args...)
	return slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool {
		return m.Name == volume && slices.ContainsFunc(words, func(word string) bool {
			flag, value, one := strings.Cut(word, "=") // --dir=/etc/tls
			return word == m.MountPath || one && strings.TrimLeft(flag, "-") == "dir" && value == m.MountPath
		})
	})
}

// namespaceOf returns an object's namespace. Objects without one are all applied to the same
// namespace: default stands for it.
func namespaceOf(o manifest.Manifest) string { return cmp.Or(o.GetNamespace(), "default") }

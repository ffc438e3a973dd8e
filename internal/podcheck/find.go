package podcheck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"strata/internal/manifest"
)

// Object is an object with the file that it was read from.
type Object struct {
	File   string
	Object *unstructured.Unstructured
}

// Finding is a Pod template that races its certificate.
type Finding struct {
	// File and Object name its place, and Volume is the volume's name.
	File, Object, Volume string
	// Secret is the certificate's.
	Secret string
	// Rule says what is wrong, and Fix what to do.
	Rule, Fix string
}

func (f Finding) String() string {
	return fmt.Sprintf("%s: %s: volume %s of Secret %s %s; %s", f.File, f.Object, f.Volume, f.Secret, f.Rule, f.Fix)
}

// templates hold the path to the Pod's specification in each kind.
var templates = map[string][]string{
	"Pod": {"spec"}, "Deployment": {"spec", "template", "spec"}, "StatefulSet": {"spec", "template", "spec"}, "DaemonSet": {"spec", "template", "spec"},
	"ReplicaSet": {"spec", "template", "spec"}, "Job": {"spec", "template", "spec"}, "CronJob": {"spec", "jobTemplate", "spec", "template", "spec"},
}

// Parse reads the objects in a file's text. The error names the file and the document that is none.
func Parse(file string, text []byte) ([]Object, error) {
	parsed, err := manifest.Parse(text)
	var objects []Object
	for _, object := range parsed {
		objects = append(objects, Object{File: file, Object: object})
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return objects, err
}

// Find checks every Pod template. The error joins those that cannot be read.
func Find(objects []Object) ([]Finding, error) {
	issued := map[string]bool{}
	for _, o := range objects {
		if o.Object.GetKind() == "Certificate" && strings.HasPrefix(o.Object.GetAPIVersion(), "cert-manager.io/") {
			name, _, _ := unstructured.NestedString(o.Object.Object, "spec", "secretName")
			issued[namespaceOf(o.Object)+"/"+name] = true
		}
	}
	var found []Finding
	for _, o := range objects {
		path, has := templates[o.Object.GetKind()]
		if !has {
			continue
		}
		fields, there, err := unstructured.NestedMap(o.Object.Object, path...)
		if err != nil || !there {
			return nil, fmt.Errorf("%s: %s has no Pod specification at %s", o.File, title(o.Object), strings.Join(path, "."))
		}
		var pod corev1.PodSpec
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &pod); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", o.File, title(o.Object), err)
		}
		for _, mounted := range certificates(pod, namespaceOf(o.Object), issued) {
			if rule, fix := judge(pod, mounted); rule != "" {
				found = append(found, Finding{o.File, title(o.Object), mounted.volume, mounted.secret, rule, fix})
			}
		}
	}
	return found, nil
}

// source is a volume's part that comes from a certificate's Secret.
type source struct {
	volume, secret string
	optional       bool
}

// certificates are the certificates' Secrets among a Pod's volumes, projected ones included.
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

// isIssued reports whether a Secret looks like a certificate's, where its Certificate is in none of
// the files: its keys or its name say so.
func isIssued(secret string, items []corev1.KeyToPath) bool {
	for _, item := range items {
		if item.Key == corev1.TLSCertKey || item.Key == corev1.TLSPrivateKeyKey {
			return true
		}
	}
	return slices.ContainsFunc([]string{"-tls", "-cert", "-certificate"}, func(end string) bool { return strings.HasSuffix(secret, end) })
}

// judge says what is wrong with how a Pod comes by a certificate; nothing where it waits for it.
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
		if slices.ContainsFunc(earlier.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == mounted.volume }) {
			return "is mounted by init container " + earlier.Name + ", which runs before the one that waits for it", "put cert-wait first"
		}
	}
	return "", ""
}

// waits reports whether a container is cert-wait for a volume: its image's name says so, and it has
// the volume mounted at the folder that it is told to check.
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

// namespaceOf is an object's namespace. Without one it is in that of whoever applies the files, all
// of them in the same: default stands for it.
func namespaceOf(o *unstructured.Unstructured) string { return cmp.Or(o.GetNamespace(), "default") }

func title(o *unstructured.Unstructured) string {
	if o.GetNamespace() == "" {
		return o.GetKind() + " " + o.GetName()
	}
	return o.GetKind() + " " + o.GetNamespace() + "/" + o.GetName()
}

package podcheck

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// checkCertificates checks that a Pod waits for each certificate that it mounts. It recognizes a
// certificate's Secret by a Certificate in the same files, or by the mounted keys tls.crt and
// tls.key. A name that ends in -tls, -cert or -certificate counts as well.
func (c *checker) checkCertificates(s *subject) {
	for _, mounted := range certificates(s.pod, s.namespace, c.related.issued) {
		problem, fix := judge(s.pod, mounted)
		if problem == "" {
			continue
		}
		problem = fmt.Sprintf("volume %s of Secret %s %s", mounted.volume, mounted.secret, problem)
		if c.addFinding(s, Certificate, problem, fix) {
			s.patch.waitForCertificate(s.pod, mounted)
		}
	}
}

// source is the part of a volume that comes from a certificate's Secret.
type source struct {
	volume, secret string
	optional       bool
}

// certificates returns a source for each certificate's Secret that a volume of the Pod mounts,
// projected volumes included.
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

// isIssued reports whether a Secret probably holds a certificate, judged by its keys or its name.
// The Certificate that issues the Secret need not be in the files.
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

// judge returns the problem of a Pod that does not wait correctly for a mounted certificate, and
// the fix. Both are empty if the volume is optional and cert-wait is the first init container that
// mounts it.
func judge(pod corev1.PodSpec, mounted source) (problem, fix string) {
	at := slices.IndexFunc(pod.InitContainers,
		func(c corev1.Container) bool { return waits(c, mounted.volume) })
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

// waits reports whether a container is a cert-wait for this volume: its image is called cert-wait,
// and its --dir is the path at which it mounts the volume. A sidecar does not count, because no
// container waits for its end.
func waits(c corev1.Container, volume string) bool {
	name := c.Image[strings.LastIndex(c.Image, "/")+1:]
	name, _, _ = strings.Cut(name, "@")
	name, _, _ = strings.Cut(name, ":")
	if name != "cert-wait" || isSidecar(c) {
		return false
	}
	words := append(slices.Clone(c.Command), c.Args...)
	return slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool {
		return m.Name == volume && slices.ContainsFunc(words, func(word string) bool {
			flag, value, one := strings.Cut(word, "=") // --dir=/etc/tls
			return word == m.MountPath || one && strings.TrimLeft(flag, "-") == "dir" &&
				value == m.MountPath
		})
	})
}

package podcheck

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// CertWaitImage is the image of cert-wait that `strata fetch` and `strata image cert-wait` build.
const CertWaitImage = "localhost/strata/cert-wait:1.0.0"

// waitForCertificate makes a certificate's volume optional, and adds the init container that waits
// for the certificate. It adds nothing that the Pod already has.
func (p *patch) waitForCertificate(pod corev1.PodSpec, mounted source) {
	if !mounted.optional {
		volume := makeOptional(pod, mounted)
		fields := toMap(volume)
		delete(fields, "name")
		p.merge("volumes", volume.Name, fields)
	}
	if slices.ContainsFunc(pod.InitContainers,
		func(one corev1.Container) bool { return waits(one, mounted.volume) }) {
		return
	}
	name := "cert-wait"
	if slices.ContainsFunc(pod.InitContainers,
		func(one corev1.Container) bool { return one.Name == name }) {
		name += "-" + mounted.volume
	}
	fields := toMap(certWait(mounted.volume, mountPath(pod, mounted.volume)))
	delete(fields, "name")
	p.merge("initContainers", name, fields)
}

// makeOptional sets the certificate's Secret to optional in the Pod's volume, and returns the
// volume. In a projected volume, it sets each source of that Secret to optional.
func makeOptional(pod corev1.PodSpec, mounted source) *corev1.Volume {
	at := slices.IndexFunc(pod.Volumes, func(one corev1.Volume) bool {
		return one.Name == mounted.volume
	})
	volume, optional := &pod.Volumes[at], true
	if volume.Secret != nil {
		volume.Secret.Optional = &optional
	}
	if volume.Projected != nil {
		for _, part := range volume.Projected.Sources {
			if part.Secret != nil && part.Secret.Name == mounted.secret {
				part.Secret.Optional = &optional
			}
		}
	}
	return volume
}

// mountPath returns the path of a volume in the first container that mounts it, or else /etc/tls.
func mountPath(pod corev1.PodSpec, volume string) string {
	for _, one := range runningContainers(pod) {
		for _, mount := range one.VolumeMounts {
			if mount.Name == volume {
				return mount.MountPath
			}
		}
	}
	return "/etc/tls"
}

// certWait returns the init container of docs/cert-wait.yaml for a volume and its folder.
func certWait(volume, folder string) *corev1.Container {
	yes, no := true, false
	return &corev1.Container{
		Image: CertWaitImage, Args: []string{"--dir", folder, "--timeout", "5m"},
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU:    resource.MustParse("10m"),
			corev1.ResourceMemory: resource.MustParse("16Mi"),
		}},
		SecurityContext: &corev1.SecurityContext{
			RunAsNonRoot: &yes, AllowPrivilegeEscalation: &no, ReadOnlyRootFilesystem: &yes,
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
		VolumeMounts: []corev1.VolumeMount{{Name: volume, MountPath: folder, ReadOnly: true}},
	}
}

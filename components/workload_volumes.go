package components

import (
	"time"

	"strata/config"
)

// tlsVolume is the name of the volume with the certificate.
const tlsVolume = "tls"

// workloadVolumes returns the Pods' volumes and the container's mounts. Each file is mounted by
// subPath, so that the image's other files in the same folder stay visible.
func workloadVolumes(cfg config.Workload, read contents) (volumes, mounts array) {
	file := func(volume, path string) {
		mounts = append(mounts, object{
			"name": volume, "mountPath": path, "subPath": fileKey(path), "readOnly": true,
		})
	}
	if read.files != nil {
		volumes = append(volumes, object{"name": "files",
			"configMap": object{"name": read.files}})
		for _, path := range paths(cfg.Files) {
			file("files", path)
		}
	}
	if read.secretFiles != nil {
		volumes = append(volumes, object{"name": "secret-files",
			"secret": object{"secretName": read.secretFiles}})
		for _, path := range paths(cfg.SecretFiles) {
			file("secret-files", path)
		}
	}
	if c := cfg.Certificate; c != nil {
		volumes = append(volumes, certVolume(tlsVolume, workloadTLS(cfg.Name)))
		mounts = append(mounts, object{
			"name": tlsVolume, "mountPath": c.Mount, "readOnly": true,
		})
	}
	return volumes, mounts
}

// certVolume returns a volume of a certificate's Secret. The Secret is optional, because the
// kubelet mounts all volumes before it starts the first init container, and CertWait must start
// before the Secret exists. Use certVolume only with certWait, or the application may start without
// its certificate.
func certVolume(volume, secret string) object {
	return object{"name": volume, "secret": object{"secretName": secret, "optional": true}}
}

// certWait returns an init container that waits until the volume has a key and a matching chain
// that is valid now and for names (tools/cert-wait). It fails after limit. It does not use the
// Kubernetes API, so it needs no RBAC role.
func certWait(image, volume, mount string, limit time.Duration, names []string) object {
	args := []string{"--dir", mount, "--timeout", limit.String()}
	for _, name := range names {
		args = append(args, "--dns-name", name)
	}
	small := object{"cpu": "10m", "memory": "16Mi"}
	return object{
		"name": "cert-wait", "image": image, "imagePullPolicy": "IfNotPresent",
		"args":         args,
		"resources":    object{"requests": small},
		"volumeMounts": array{object{"name": volume, "mountPath": mount, "readOnly": true}},
		"securityContext": object{
			"runAsNonRoot": true, "allowPrivilegeEscalation": false,
			"readOnlyRootFilesystem": true,
			"capabilities":           object{"drop": []string{"ALL"}},
		},
		// The rollout gate shows the container's termination message.
		"terminationMessagePolicy": "FallbackToLogsOnError",
	}
}

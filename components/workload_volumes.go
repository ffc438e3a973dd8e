package components

import (
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
)

// tlsVolume is the name of the volume with the certificate.
const tlsVolume = "tls"

// workloadVolumes returns the Pods' volumes and the container's mounts. Each file is mounted by
// subPath, so that the image's other files in the same folder stay visible.
func workloadVolumes(cfg config.Workload, read contents) (volumes, mounts pulumi.Array) {
	file := func(volume, path string) {
		mounts = append(mounts, pulumi.Map{
			"name": pulumi.String(volume), "mountPath": pulumi.String(path),
			"subPath": pulumi.String(fileKey(path)), "readOnly": pulumi.Bool(true),
		})
	}
	if read.files != nil {
		volumes = append(volumes, pulumi.Map{"name": pulumi.String("files"),
			"configMap": pulumi.Map{"name": read.files}})
		for _, path := range paths(cfg.Files) {
			file("files", path)
		}
	}
	if read.secretFiles != nil {
		volumes = append(volumes, pulumi.Map{"name": pulumi.String("secret-files"),
			"secret": pulumi.Map{"secretName": read.secretFiles}})
		for _, path := range paths(cfg.SecretFiles) {
			file("secret-files", path)
		}
	}
	if c := cfg.Certificate; c != nil {
		volumes = append(volumes, CertVolume(tlsVolume, workloadTLS(cfg.Name)))
		mounts = append(mounts, pulumi.Map{
			"name": pulumi.String(tlsVolume), "mountPath": pulumi.String(c.Mount),
			"readOnly": pulumi.Bool(true),
		})
	}
	return volumes, mounts
}

// CertVolume returns a volume of a certificate's Secret. The Secret is optional, because the
// kubelet mounts all volumes before it starts the first init container, and CertWait must start
// before the Secret exists. Use CertVolume only with CertWait, or the application may start without
// its certificate.
func CertVolume(volume, secret string) pulumi.Map {
	return pulumi.Map{"name": pulumi.String(volume), "secret": pulumi.Map{
		"secretName": pulumi.String(secret), "optional": pulumi.Bool(true),
	}}
}

// CertWait returns an init container that waits until the volume has a key and a matching chain
// that is valid now and for names (tools/cert-wait). It fails after limit. It does not use the
// Kubernetes API, so it needs no RBAC role.
func CertWait(image, volume, mount string, limit time.Duration, names []string) pulumi.Map {
	args := []string{"--dir", mount, "--timeout", limit.String()}
	for _, name := range names {
		args = append(args, "--dns-name", name)
	}
	small := pulumi.Map{"cpu": pulumi.String("10m"), "memory": pulumi.String("16Mi")}
	return pulumi.Map{
		"name": pulumi.String("cert-wait"), "image": pulumi.String(image),
		"imagePullPolicy": pulumi.String("IfNotPresent"),
		"args":            pulumi.ToStringArray(args),
		"resources":       pulumi.Map{"requests": small},
		"volumeMounts": pulumi.Array{pulumi.Map{"name": pulumi.String(volume),
			"mountPath": pulumi.String(mount), "readOnly": pulumi.Bool(true)}},
		"securityContext": pulumi.Map{
			"runAsNonRoot": pulumi.Bool(true), "allowPrivilegeEscalation": pulumi.Bool(false),
			"readOnlyRootFilesystem": pulumi.Bool(true),
			"capabilities":           pulumi.Map{"drop": pulumi.ToStringArray([]string{"ALL"})},
		},
		// The rollout gate shows the container's termination message.
		"terminationMessagePolicy": pulumi.String("FallbackToLogsOnError"),
	}
}

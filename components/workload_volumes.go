package components

import (
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
)

// tlsVolume is the volume with a Pod's certificate.
const tlsVolume = "tls"

// workloadVolumes returns the Pods' volumes and the container's mounts. Files are mounted one by
// one: the image's other files in their folder stay.
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

// CertVolume returns a volume of a certificate's Secret. The Secret is optional, because kubelet
// mounts every volume before it starts the first init container. If it were not, a missing Secret
// would keep the waiting container from starting. Use it together with CertWait, or the application
// starts without its certificate.
func CertVolume(volume, secret string) pulumi.Map {
	return pulumi.Map{"name": pulumi.String(volume), "secret": pulumi.Map{
		"secretName": pulumi.String(secret), "optional": pulumi.Bool(true),
	}}
}

// CertWait returns the init container that holds a Pod until the volume has a matching key and
// chain (tools/cert-wait). The chain must be valid now and for the names. The container asks no API
// server, so it needs no role.
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
		// The rollout's gate shows the container's last message.
		"terminationMessagePolicy": pulumi.String("FallbackToLogsOnError"),
	}
}

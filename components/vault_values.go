package components

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
)

// vaultServerConfig is Vault's configuration file. It uses integrated storage (raft). The chart
// adds disable_mlock, which Vault recommends with this storage.
const vaultServerConfig = `ui = false
listener "tcp" {
  address         = "[::]:8200"
  cluster_address = "[::]:8201"
  tls_cert_file   = "/vault/tls/tls.crt"
  tls_key_file    = "/vault/tls/tls.key"
}
storage "raft" {
  path = "/vault/data"
}
`

// vaultValues returns the chart's values. The injector is disabled, because only the PKI engine is
// used.
func vaultValues(cfg config.Vault) pulumi.Map {
	storage := pulumi.Map{"enabled": pulumi.Bool(*cfg.Storage.Persistent),
		"size": pulumi.String(cfg.Storage.Size)}
	if cfg.Storage.Class != "" {
		storage["storageClass"] = pulumi.String(cfg.Storage.Class)
	}
	volumes := pulumi.Array{pulumi.Map{
		"name": pulumi.String("tls"), "secret": pulumi.Map{"secretName": pulumi.String(vaultTLS)},
	}}
	mounts := pulumi.Array{pulumi.Map{
		"name": pulumi.String("tls"), "mountPath": pulumi.String("/vault/tls"),
		"readOnly": pulumi.Bool(true),
	}}
	if !*cfg.Storage.Persistent {
		// Without persistent storage, the chart mounts no volume at /vault/data, and the image does
		// not have this folder (https://github.com/hashicorp/vault/issues/11971).
		volumes = append(volumes, pulumi.Map{"name": pulumi.String("data"),
			"emptyDir": pulumi.Map{}})
		mounts = append(mounts, pulumi.Map{"name": pulumi.String("data"),
			"mountPath": pulumi.String("/vault/data")})
	}
	return pulumi.Map{
		"global":   pulumi.Map{"tlsDisable": pulumi.Bool(false)},
		"injector": pulumi.Map{"enabled": pulumi.Bool(false)},
		"server": pulumi.Map{
			// The chart's OnDelete would leave the old version running after an upgrade.
			"updateStrategyType": pulumi.String("RollingUpdate"),
			"standalone": pulumi.Map{"enabled": pulumi.Bool(true),
				"config": pulumi.String(vaultServerConfig)},
			"dataStorage":   storage,
			"authDelegator": pulumi.Map{"enabled": pulumi.Bool(true)},
			"volumes":       volumes,
			"volumeMounts":  mounts,
		},
	}
}

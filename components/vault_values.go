package components

import (
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
func vaultValues(cfg config.Vault) object {
	storage := object{"enabled": *cfg.Storage.Persistent, "size": cfg.Storage.Size}
	if cfg.Storage.Class != "" {
		storage["storageClass"] = cfg.Storage.Class
	}
	volumes := array{object{"name": "tls", "secret": object{"secretName": vaultTLS}}}
	mounts := array{object{"name": "tls", "mountPath": "/vault/tls", "readOnly": true}}
	if !*cfg.Storage.Persistent {
		// Without persistent storage, the chart mounts no volume at /vault/data, and the image does
		// not have this folder (https://github.com/hashicorp/vault/issues/11971).
		volumes = append(volumes, object{"name": "data", "emptyDir": object{}})
		mounts = append(mounts, object{"name": "data", "mountPath": "/vault/data"})
	}
	return object{
		"global":   object{"tlsDisable": false},
		"injector": object{"enabled": false},
		"server": object{
			// The chart's OnDelete would leave the old version running after an upgrade.
			"updateStrategyType": "RollingUpdate",
			"standalone":         object{"enabled": true, "config": vaultServerConfig},
			"dataStorage":        storage,
			"authDelegator":      object{"enabled": true},
			"volumes":            volumes,
			"volumeMounts":       mounts,
		},
	}
}

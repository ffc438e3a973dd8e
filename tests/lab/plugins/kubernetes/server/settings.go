package server

import "os"

// settings are the provider's arguments that change how it works. An argument
// wins over its environment variable.
type settings struct {
	secrets           bool
	namespace         string
	deleteUnreachable bool
	upsert            bool
	configMapMutable  bool
	secretMutable     bool
}

const prefix = "kubernetes:config:"

func readSettings(variables map[string]string) settings {
	enabled := func(argument, environment string) bool {
		if value, given := variables[prefix+argument]; given {
			return value == "true"
		}
		return os.Getenv(environment) == "true"
	}
	return settings{
		deleteUnreachable: enabled("deleteUnreachable", "PULUMI_K8S_DELETE_UNREACHABLE"),
		upsert:            enabled("upsertExistingObjects", "PULUMI_K8S_UPSERT_EXISTING_OBJECTS"),
		configMapMutable:  enabled("enableConfigMapMutable", "PULUMI_K8S_ENABLE_CONFIGMAP_MUTABLE"),
		secretMutable:     enabled("enableSecretMutable", "PULUMI_K8S_ENABLE_SECRET_MUTABLE"),
	}
}

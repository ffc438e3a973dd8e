package release

import (
	"encoding/json"
	"fmt"
	"os"

	"helm.sh/helm/v3/pkg/cli"
)

// Settings are the provider's helmReleaseSettings; an argument wins over its
// environment variable.
type Settings struct {
	// Driver stores release records: secret (default), configmap or memory.
	Driver               string `json:"driver"`
	PluginsPath          string `json:"pluginsPath"`
	RegistryConfigPath   string `json:"registryConfigPath"`
	RepositoryConfigPath string `json:"repositoryConfigPath"`
	RepositoryCache      string `json:"repositoryCache"`
}

// ReadSettings reads the argument, a JSON object or nothing.
func ReadSettings(argument string) (Settings, error) {
	settings := Settings{
		Driver:               os.Getenv("PULUMI_K8S_HELM_DRIVER"),
		PluginsPath:          os.Getenv("PULUMI_K8S_HELM_PLUGINS_PATH"),
		RegistryConfigPath:   os.Getenv("PULUMI_K8S_HELM_REGISTRY_CONFIG_PATH"),
		RepositoryConfigPath: os.Getenv("PULUMI_K8S_HELM_REPOSITORY_CONFIG_PATH"),
		RepositoryCache:      os.Getenv("PULUMI_K8S_HELM_REPOSITORY_CACHE"),
	}
	if argument != "" {
		if err := json.Unmarshal([]byte(argument), &settings); err != nil {
			return settings, fmt.Errorf("failed to unmarshal helmReleaseSettings option: %w", err)
		}
	}
	if settings.Driver == "" {
		settings.Driver = "secret"
	}
	return settings, nil
}

func (s Settings) environment() *cli.EnvSettings {
	environment := cli.New()
	for target, value := range map[*string]string{
		&environment.PluginsDirectory: s.PluginsPath,
		&environment.RegistryConfig:   s.RegistryConfigPath,
		&environment.RepositoryConfig: s.RepositoryConfigPath,
		&environment.RepositoryCache:  s.RepositoryCache,
	} {
		if value != "" {
			*target = value
		}
	}
	return environment
}

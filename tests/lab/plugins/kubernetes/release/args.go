package release

import (
	"encoding/json"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// Type is the resource's type token.
const Type = "kubernetes:helm.sh/v3:Release"

// defaultTimeout bounds each Helm operation, in seconds.
const defaultTimeout = 300

// Release is the inputs and the status of a Helm release. A zero value is
// absent. Custom timeouts of the resource do not count, only Timeout does.
type Release struct {
	Name      string `json:"name,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	// Chart is a path, or a name in RepositoryOpts.
	Chart          string          `json:"chart,omitempty"`
	Version        string          `json:"version,omitempty"`
	RepositoryOpts *RepositoryOpts `json:"repositoryOpts,omitempty"`
	Values         map[string]any  `json:"values,omitempty"`
	// Timeout is in seconds.
	Timeout                  int    `json:"timeout,omitempty"`
	SkipAwait                bool   `json:"skipAwait,omitempty"`
	WaitForJobs              bool   `json:"waitForJobs,omitempty"`
	Atomic                   bool   `json:"atomic,omitempty"`
	CleanupOnFail            bool   `json:"cleanupOnFail,omitempty"`
	CreateNamespace          bool   `json:"createNamespace,omitempty"`
	DependencyUpdate         bool   `json:"dependencyUpdate,omitempty"`
	Description              string `json:"description,omitempty"`
	Devel                    bool   `json:"devel,omitempty"`
	DisableCRDHooks          bool   `json:"disableCRDHooks,omitempty"`
	DisableOpenapiValidation bool   `json:"disableOpenapiValidation,omitempty"`
	DisableWebhooks          bool   `json:"disableWebhooks,omitempty"`
	ForceUpdate              bool   `json:"forceUpdate,omitempty"`
	MaxHistory               *int   `json:"maxHistory,omitempty"`
	RecreatePods             bool   `json:"recreatePods,omitempty"`
	Replace                  bool   `json:"replace,omitempty"`
	ResetValues              bool   `json:"resetValues,omitempty"`
	ReuseValues              bool   `json:"reuseValues,omitempty"`
	SkipCrds                 bool   `json:"skipCrds,omitempty"`

	// ResourceNames are the objects by "Kind/version" (or with the group).
	ResourceNames map[string][]string `json:"resourceNames,omitempty"`
	Status        *Status             `json:"status,omitempty"`
}

// RepositoryOpts say where a chart that is not a path comes from.
type RepositoryOpts struct {
	Repo     string `json:"repo,omitempty"`
	CAFile   string `json:"caFile,omitempty"`
	CertFile string `json:"certFile,omitempty"`
	KeyFile  string `json:"keyFile,omitempty"`
	Username string `json:"username,omitempty"`
	Password string `json:"password,omitempty"`
}

// Status is what Helm says of the release.
type Status struct {
	AppVersion string `json:"appVersion,omitempty"`
	Chart      string `json:"chart,omitempty"`
	Name       string `json:"name,omitempty"`
	Namespace  string `json:"namespace,omitempty"`
	Revision   *int   `json:"revision,omitempty"`
	Status     string `json:"status,omitempty"`
	Version    string `json:"version,omitempty"`
}

// decode reads a release from properties; what is secret becomes plain and what
// is not known yet absent.
func decode(properties resource.PropertyMap) (*Release, error) {
	body, err := json.Marshal(properties.MapRepl(nil, known))
	if err != nil {
		return nil, fmt.Errorf("encoding the release: %w", err)
	}
	var release Release
	if err := json.Unmarshal(body, &release); err != nil {
		return nil, fmt.Errorf("decoding failure: %w", err)
	}
	return &release, nil
}

func known(value resource.PropertyValue) (any, bool) {
	switch {
	case value.IsSecret():
		return value.SecretValue().Element.MapRepl(nil, known), true
	case value.IsComputed(), value.IsOutput():
		return nil, true
	}
	return nil, false
}

// encode turns a release into properties.
func (r *Release) encode() (resource.PropertyMap, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encoding the release: %w", err)
	}
	var fields map[string]any
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, fmt.Errorf("encoding the release: %w", err)
	}
	return resource.NewPropertyMapFromMap(fields), nil
}

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

// Release is the inputs and the status of a Helm release, all of which are said,
// also as what they are by default. Custom timeouts of the resource do not count,
// only Timeout does.
type Release struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	// Chart is a path.
	Chart   string         `json:"chart"`
	Version string         `json:"version"`
	Values  map[string]any `json:"values"`
	// Timeout is in seconds.
	Timeout   int  `json:"timeout"`
	SkipAwait bool `json:"skipAwait"`
	SkipCrds  bool `json:"skipCrds"`
	Unused

	// ResourceNames are the objects by "Kind/version" (or with the group).
	ResourceNames map[string][]string `json:"resourceNames,omitempty"`
	Status        *Status             `json:"status,omitempty"`
}

// Unused are inputs that a state has and that Check refuses here unless they are
// what they are by default.
type Unused struct {
	AllowNullValues          bool           `json:"allowNullValues"`
	Atomic                   bool           `json:"atomic"`
	CleanupOnFail            bool           `json:"cleanupOnFail"`
	CreateNamespace          bool           `json:"createNamespace"`
	DependencyUpdate         bool           `json:"dependencyUpdate"`
	Description              string         `json:"description"`
	Devel                    bool           `json:"devel"`
	DisableCRDHooks          bool           `json:"disableCRDHooks"`
	DisableOpenapiValidation bool           `json:"disableOpenapiValidation"`
	DisableWebhooks          bool           `json:"disableWebhooks"`
	ForceUpdate              bool           `json:"forceUpdate"`
	Keyring                  string         `json:"keyring"`
	Lint                     bool           `json:"lint"`
	MaxHistory               *int           `json:"maxHistory,omitempty"`
	Postrender               string         `json:"postrender"`
	RecreatePods             bool           `json:"recreatePods"`
	RenderSubchartNotes      bool           `json:"renderSubchartNotes"`
	Replace                  bool           `json:"replace"`
	RepositoryOpts           map[string]any `json:"repositoryOpts,omitempty"`
	ResetValues              bool           `json:"resetValues"`
	ReuseValues              bool           `json:"reuseValues"`
	Verify                   bool           `json:"verify"`
	WaitForJobs              bool           `json:"waitForJobs"`
}

// Status is Helm's status of the release.
type Status struct {
	AppVersion string `json:"appVersion"`
	Chart      string `json:"chart"`
	Name       string `json:"name"`
	Namespace  string `json:"namespace"`
	Revision   *int   `json:"revision,omitempty"`
	Status     string `json:"status"`
	Version    string `json:"version"`
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
	if release.Values == nil {
		release.Values = map[string]any{}
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

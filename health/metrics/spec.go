package metrics

import (
	"slices"
	"strings"

	"strata/health"
)

// Kind gates the metrics of a Service in the cluster: each expected series has a sample.
const Kind health.Kind = "metrics"

// Spec names a Service in the cluster and the series that Prometheus must find there.
type Spec struct {
	Namespace string `json:"namespace"`
	Service   string `json:"service"`
	Port      int    `json:"port"`
	Path      string `json:"path"`
	// Series are names of metrics. Each must have a sample.
	Series []string `json:"series"`
}

// Traits implements health.Body.
func (Spec) Traits() health.Traits { return health.Traits{Kind: Kind} }

// Validate implements health.Body.
func (s Spec) Validate(need health.Need) {
	need(s.Namespace != "" && s.Service != "" && s.Port > 0,
		"metrics: namespace, service or port is empty")
	need(strings.HasPrefix(s.Path, "/"),
		"metrics.path: expected a path from the root, found %q", s.Path)
	need(len(s.Series) > 0 && !slices.Contains(s.Series, ""),
		"metrics.series: expected names; a gate of nothing is always open")
}

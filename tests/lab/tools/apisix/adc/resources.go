// Package adc stands between APISIX's controller and its data plane. It has the terms of the
// controller (apisix-ingress-controller api/adc), and their translation for the data plane
// (api7/adc libs/backend-apisix-standalone).
package adc

import "strata/tests/lab/tools/apisix/admin"

// Resources are all that a controller wants of a data plane.
type Resources struct {
	Consumers   []Consumer     `json:"consumers,omitempty"`
	GlobalRules map[string]any `json:"global_rules,omitempty"`
	Services    []Service      `json:"services,omitempty"`
	SSLs        []SSL          `json:"ssls,omitempty"`
}

// Metadata is common to most of them.
type Metadata struct {
	ID     string            `json:"id,omitempty"`
	Name   string            `json:"name,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
}

// Service is one rule of a route: its hosts, its routes, and where they lead. Upstreams are the
// upstreams that its plugins name.
type Service struct {
	Metadata
	Hosts     []string       `json:"hosts,omitempty"`
	Plugins   map[string]any `json:"plugins,omitempty"`
	Routes    []Route        `json:"routes,omitempty"`
	Upstream  *Upstream      `json:"upstream,omitempty"`
	Upstreams []Upstream     `json:"upstreams,omitempty"`
}

// Route is one match of a rule.
type Route struct {
	Metadata
	Plugins  map[string]any `json:"plugins,omitempty"`
	Priority *int64         `json:"priority,omitempty"`
	URIs     []string       `json:"uris"`
	Vars     [][]any        `json:"vars,omitempty"`
}

// Upstream receives requests.
type Upstream struct {
	Metadata
	Nodes []admin.Node `json:"nodes"`
}

// SSL is a certificate by the names that clients ask for.
type SSL struct {
	Metadata
	Certificates []Certificate `json:"certificates"`
	SNIs         []string      `json:"snis"`
}

// Certificate is one with its key.
type Certificate struct {
	Certificate string `json:"certificate"`
	Key         string `json:"key"`
}

// Consumer is a client with credentials.
type Consumer struct {
	Username    string         `json:"username"`
	Credentials []Credential   `json:"credentials,omitempty"`
	Plugins     map[string]any `json:"plugins,omitempty"`
}

// Credential is one of a consumer's; its type is the plugin's name.
type Credential struct {
	Metadata
	Config map[string]any `json:"config"`
	Type   string         `json:"type"`
}

// Request is sent by the controller (internal/adc/client/executor.go: ADCServerRequest). A field
// that is not here is ignored.
type Request struct {
	Task struct {
		Opts struct {
			Server   []string `json:"server"`
			Token    string   `json:"token"`
			CacheKey string   `json:"cacheKey"`
			// BypassCache asks every server for its configuration before anything is sent.
			BypassCache bool `json:"bypassCache"`
		} `json:"opts"`
		Config Resources `json:"config"`
	} `json:"task"`
}

// Result answers it: one status for each server, whether it took the configuration
// (api/adc/types.go: SyncResult).
type Result struct {
	Status         string           `json:"status"`
	SuccessCount   int              `json:"success_count"`
	FailedCount    int              `json:"failed_count"`
	Success        []any            `json:"success"`
	Failed         []any            `json:"failed"`
	EndpointStatus []EndpointStatus `json:"endpoint_status"`
}

// EndpointStatus is one server's.
type EndpointStatus struct {
	Server  string `json:"server"`
	Success bool   `json:"success"`
	Reason  string `json:"reason,omitempty"`
}

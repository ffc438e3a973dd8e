// Package adc is the stand-in for ADC, which sends the controller's configuration to the data
// planes. It has the controller's types (apisix-ingress-controller, api/adc), and translates them
// to the data plane's (api7/adc, libs/backend-apisix-standalone).
package adc

import "strata/tests/lab/tools/apisix/admin"

// Resources is the complete configuration of a data plane, in the controller's types.
type Resources struct {
	Consumers   []Consumer     `json:"consumers,omitempty"`
	GlobalRules map[string]any `json:"global_rules,omitempty"`
	Services    []Service      `json:"services,omitempty"`
	SSLs        []SSL          `json:"ssls,omitempty"`
}

// Metadata has the fields that most resources share.
type Metadata struct {
	ID     string            `json:"id,omitempty"`
	Name   string            `json:"name,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
}

// Service is a rule of a route: its hosts, its routes and its upstream. Upstreams are further
// upstreams, which its plugins refer to.
type Service struct {
	Metadata
	Hosts     []string       `json:"hosts,omitempty"`
	Plugins   map[string]any `json:"plugins,omitempty"`
	Routes    []Route        `json:"routes,omitempty"`
	Upstream  *Upstream      `json:"upstream,omitempty"`
	Upstreams []Upstream     `json:"upstreams,omitempty"`
}

// Route is a match of a rule.
type Route struct {
	Metadata
	Plugins  map[string]any `json:"plugins,omitempty"`
	Priority *int64         `json:"priority,omitempty"`
	URIs     []string       `json:"uris"`
	Vars     [][]any        `json:"vars,omitempty"`
}

// Upstream is a set of Pods that receive requests.
type Upstream struct {
	Metadata
	Nodes []admin.Node `json:"nodes"`
}

// SSL has a certificate and the host names for which it is used.
type SSL struct {
	Metadata
	Certificates []Certificate `json:"certificates"`
	SNIs         []string      `json:"snis"`
}

// Certificate has a certificate and its private key, in PEM.
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

// Credential is a credential of a consumer. Type is the name of the plugin that checks it.
type Credential struct {
	Metadata
	Config map[string]any `json:"config"`
	Type   string         `json:"type"`
}

// Request is the controller's request (internal/adc/client/executor.go, ADCServerRequest). Fields
// that are not listed here are ignored.
type Request struct {
	Task struct {
		Opts struct {
			Server   []string `json:"server"`
			Token    string   `json:"token"`
			CacheKey string   `json:"cacheKey"`
			// BypassCache makes ADC read the configuration of every server before it sends
			// anything.
			BypassCache bool `json:"bypassCache"`
		} `json:"opts"`
		Config Resources `json:"config"`
	} `json:"task"`
}

// Result is the response: whether each server accepted the configuration (api/adc/types.go,
// SyncResult).
type Result struct {
	Status         string           `json:"status"`
	SuccessCount   int              `json:"success_count"`
	FailedCount    int              `json:"failed_count"`
	Success        []any            `json:"success"`
	Failed         []any            `json:"failed"`
	EndpointStatus []EndpointStatus `json:"endpoint_status"`
}

// EndpointStatus is the result of one server.
type EndpointStatus struct {
	Server  string `json:"server"`
	Success bool   `json:"success"`
	Reason  string `json:"reason,omitempty"`
}

// Package admin has the messages from ADC to the data plane, with the names of APISIX's standalone
// admin API (/apisix/admin/configs).
package admin

// Port and Path are the port and path of the admin API. Header is the request header with the key.
// Digest is the header with a hash of the message: a message with the same hash as the last one
// changes nothing (apisix/admin/standalone.lua, update).
const (
	Port   = 9180
	Path   = "/apisix/admin/configs"
	Header = "X-API-KEY"
	Digest = "X-Digest"
)

// Config is the complete configuration. Each message replaces the previous one.
type Config struct {
	Routes   []Route   `json:"routes,omitempty"`
	Services []Service `json:"services,omitempty"`
	// Upstreams are the upstream of each service, with the service's id, and the upstreams that
	// plugins refer to.
	Upstreams   []Upstream   `json:"upstreams,omitempty"`
	SSLs        []SSL        `json:"ssls,omitempty"`
	Consumers   []Consumer   `json:"consumers,omitempty"`
	GlobalRules []GlobalRule `json:"global_rules,omitempty"`
}

// Route forwards matching requests through plugins to a service.
type Route struct {
	ID        string            `json:"id"`
	Name      string            `json:"name,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
	URIs      []string          `json:"uris"`
	Vars      [][]any           `json:"vars,omitempty"`
	Priority  int64             `json:"priority,omitempty"`
	Plugins   map[string]any    `json:"plugins,omitempty"`
	ServiceID string            `json:"service_id"`
}

// Service has the host names and the upstream of routes. Its plugins apply to each of its routes.
type Service struct {
	ID         string            `json:"id"`
	Name       string            `json:"name,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
	Hosts      []string          `json:"hosts,omitempty"`
	Plugins    map[string]any    `json:"plugins,omitempty"`
	UpstreamID string            `json:"upstream_id,omitempty"`
}

// Upstream is the set of Pods that receive the requests of a service.
type Upstream struct {
	ID     string            `json:"id"`
	Name   string            `json:"name,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Nodes  []Node            `json:"nodes"`
}

// Node is the address of a Pod in an upstream.
type Node struct {
	Host   string `json:"host"`
	Port   int    `json:"port"`
	Weight int    `json:"weight"`
}

// SSL has a certificate, its private key, and the host names for which it is used.
type SSL struct {
	ID   string   `json:"id"`
	SNIs []string `json:"snis"`
	Cert string   `json:"cert"`
	Key  string   `json:"key"`
}

// Consumer is either a consumer, with a Username, or a credential of a consumer, whose ID is
// USERNAME/credentials/ID.
type Consumer struct {
	ID       string         `json:"id,omitempty"`
	Username string         `json:"username,omitempty"`
	Plugins  map[string]any `json:"plugins,omitempty"`
}

// GlobalRule has plugins that apply to every route.
type GlobalRule struct {
	ID      string         `json:"id"`
	Plugins map[string]any `json:"plugins"`
}

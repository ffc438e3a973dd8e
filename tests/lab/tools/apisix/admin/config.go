// Package admin has the messages between ADC and the data plane, in the terms of APISIX's
// standalone admin API (/apisix/admin/configs).
package admin

// Port and Path are where the data plane takes it, Header carries the key, and Digest the sum of
// the message: the same one again changes nothing (apisix/admin/standalone.lua, update).
const (
	Port   = 9180
	Path   = "/apisix/admin/configs"
	Header = "X-API-KEY"
	Digest = "X-Digest"
)

// Config is the whole configuration; each one replaces the last.
type Config struct {
	Routes   []Route   `json:"routes,omitempty"`
	Services []Service `json:"services,omitempty"`
	// Upstreams are the services' own, each with its service's id, and the upstreams that a plugin
	// names.
	Upstreams   []Upstream   `json:"upstreams,omitempty"`
	SSLs        []SSL        `json:"ssls,omitempty"`
	Consumers   []Consumer   `json:"consumers,omitempty"`
	GlobalRules []GlobalRule `json:"global_rules,omitempty"`
}

// Route leads requests to a service, through plugins.
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

// Service is served by an upstream, by host; its plugins are those of each of its routes.
type Service struct {
	ID         string            `json:"id"`
	Name       string            `json:"name,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
	Hosts      []string          `json:"hosts,omitempty"`
	Plugins    map[string]any    `json:"plugins,omitempty"`
	UpstreamID string            `json:"upstream_id,omitempty"`
}

// Upstream receives the requests of a service.
type Upstream struct {
	ID     string            `json:"id"`
	Name   string            `json:"name,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Nodes  []Node            `json:"nodes"`
}

// Node is one Pod of an upstream.
type Node struct {
	Host   string `json:"host"`
	Port   int    `json:"port"`
	Weight int    `json:"weight"`
}

// SSL is a certificate with its key, by the names that clients ask for.
type SSL struct {
	ID   string   `json:"id"`
	SNIs []string `json:"snis"`
	Cert string   `json:"cert"`
	Key  string   `json:"key"`
}

// Consumer is a consumer, by a name, or one's credentials, by an id: name/credentials/id.
type Consumer struct {
	ID       string         `json:"id,omitempty"`
	Username string         `json:"username,omitempty"`
	Plugins  map[string]any `json:"plugins,omitempty"`
}

// GlobalRule are plugins of every route.
type GlobalRule struct {
	ID      string         `json:"id"`
	Plugins map[string]any `json:"plugins"`
}

// Package admin is what the controller sends and the data plane takes, in the terms of APISIX's standalone admin API
// (PUT /apisix/admin/configs).
package admin

// Port and Path are where the data plane takes it, Header carries the key.
const (
	Port   = 9180
	Path   = "/apisix/admin/configs"
	Header = "X-API-KEY"
)

// Config is the whole configuration; each one replaces the last.
type Config struct {
	Routes []Route `json:"routes"`
	// Upstreams are those that a plugin names, each by an id of its own.
	Upstreams   []Upstream   `json:"upstreams"`
	SSLs        []SSL        `json:"ssls"`
	Consumers   []Consumer   `json:"consumers"`
	GlobalRules []GlobalRule `json:"global_rules"`
}

// Route leads requests to an upstream, through plugins.
type Route struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Hosts    []string       `json:"hosts"`
	URIs     []string       `json:"uris"`
	Plugins  map[string]any `json:"plugins"`
	Upstream Upstream       `json:"upstream"`
}

// Upstream is where a route leads. A route's own has no ID.
type Upstream struct {
	ID    string `json:"id,omitempty"`
	Nodes []Node `json:"nodes"`
}

// Node is one Pod of an upstream.
type Node struct {
	Host string `json:"host"`
	Port int    `json:"port"`
}

// SSL is a certificate with its key, by the names that clients ask for.
type SSL struct {
	SNIs []string `json:"snis"`
	Cert string   `json:"cert"`
	Key  string   `json:"key"`
}

// Consumer is somebody with credentials.
type Consumer struct {
	Username string         `json:"username"`
	Plugins  map[string]any `json:"plugins"`
}

// GlobalRule are plugins of every route.
type GlobalRule struct {
	Plugins map[string]any `json:"plugins"`
}

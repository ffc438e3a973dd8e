package upstreams

import (
	"encoding/json"
	"net"
	"slices"
	"strconv"
)

// planeConfig holds the part of a data plane's configuration that gates read. The rest is omitted,
// because it includes keys, which must not be shown.
type planeConfig struct {
	Services []struct {
		ID         string  `json:"id"`
		Labels     textMap `json:"labels"`
		UpstreamID string  `json:"upstream_id"`
		// Upstream is the upstream in the service's own definition. It is empty if the service uses
		// one of Upstreams.
		Upstream planeUpstream `json:"upstream"`
	} `json:"services"`
	Upstreams []planeUpstream `json:"upstreams"`
}

type planeUpstream struct {
	ID     string     `json:"id"`
	Labels textMap    `json:"labels"`
	Nodes  planeNodes `json:"nodes"`
}

// These are ADC's labels for a service's source object and for an upstream's service
// (apisix-ingress-controller internal/controller/label; api7/adc
// libs/backend-apisix-standalone/src/typing.ts).
const (
	labelKind, labelNamespace, labelName = "k8s/kind", "k8s/namespace", "k8s/name"
	labelService                         = "__ADC_UPSTREAM_SERVICE_ID"
)

// findRoute returns the targets that the configuration has for a route; Known is false if it has no
// such route.
func (c planeConfig) findRoute(route RouteRef) routeHeld {
	var found routeHeld
	for _, service := range c.Services {
		labels := service.Labels
		if labels[labelKind] != route.Kind || labels[labelNamespace] != route.Namespace ||
			labels[labelName] != route.Name {
			continue
		}
		found.Known = true
		found.Addresses = append(found.Addresses, service.Upstream.Nodes...)
		for _, upstream := range c.Upstreams {
			if upstream.ID != "" && upstream.ID == service.UpstreamID ||
				upstream.Labels[labelService] == service.ID && service.ID != "" {
				found.Addresses = append(found.Addresses, upstream.Nodes...)
			}
		}
	}
	slices.Sort(found.Addresses)
	found.Addresses = slices.Compact(found.Addresses)
	return found
}

// planeNodes are addresses in the form ip:port. APISIX writes them as a list of nodes, or as a map
// from the address to its weight. It writes an empty list as an empty map.
type planeNodes []string

// UnmarshalJSON reads either form.
func (n *planeNodes) UnmarshalJSON(text []byte) error {
	var list []struct {
		Host string `json:"host"`
		Port int    `json:"port"`
	}
	if err := json.Unmarshal(text, &list); err == nil {
		for _, node := range list {
			*n = append(*n, net.JoinHostPort(node.Host, strconv.Itoa(node.Port)))
		}
		return nil
	}
	var weights map[string]any
	if err := json.Unmarshal(text, &weights); err != nil {
		return err
	}
	for address := range weights {
		*n = append(*n, address)
	}
	slices.Sort(*n)
	return nil
}

// textMap is a map that may be written as an empty list.
type textMap map[string]string

// UnmarshalJSON reads either form.
func (m *textMap) UnmarshalJSON(text []byte) error {
	if string(text) == "[]" {
		return nil
	}
	return json.Unmarshal(text, (*map[string]string)(m))
}

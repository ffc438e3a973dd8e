package adc

import (
	"crypto/sha1" //nolint:gosec // as ADC has it, for names
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"strata/tests/lab/tools/apisix/admin"
)

// ServiceLabel is the label of an upstream that a plugin refers to. Its value is the id of the
// service.
const ServiceLabel = "__ADC_UPSTREAM_SERVICE_ID"

// Standalone translates the controller's resources to the configuration of a data plane. A service
// and its own upstream have the same id (operator.ts, fromADC,
// applyEventForServiceInlinedUpstream). A resource without an id gets a hash of its name
// (libs/differ, generateId).
func Standalone(from Resources) admin.Config {
	var to admin.Config
	for _, service := range from.Services {
		id := cmpID(service.ID, service.Name)
		to.Services = append(to.Services, admin.Service{
			ID: id, Name: service.Name, Labels: service.Labels, Hosts: service.Hosts,
			Plugins: service.Plugins, UpstreamID: id,
		})
		own := admin.Upstream{ID: id, Name: service.Name, Nodes: []admin.Node{}}
		if service.Upstream != nil {
			own.Labels, own.Nodes = service.Upstream.Labels, service.Upstream.Nodes
		}
		to.Upstreams = append(to.Upstreams, own)
		for _, one := range service.Upstreams {
			labels := maps.Clone(one.Labels)
			if labels == nil {
				labels = map[string]string{}
			}
			labels[ServiceLabel] = id
			to.Upstreams = append(to.Upstreams, admin.Upstream{ID: cmpID(one.ID, one.Name),
				Name: one.Name, Labels: labels, Nodes: one.Nodes})
		}
		for _, route := range service.Routes {
			to.Routes = append(to.Routes, routeOf(route, id))
		}
	}
	for _, ssl := range from.SSLs {
		if len(ssl.Certificates) > 0 {
			first := ssl.Certificates[0]
			to.SSLs = append(to.SSLs, admin.SSL{ID: cmpID(ssl.ID, strings.Join(ssl.SNIs, ",")),
				SNIs: ssl.SNIs, Cert: first.Certificate, Key: first.Key})
		}
	}
	for _, consumer := range from.Consumers {
		to.Consumers = append(to.Consumers, admin.Consumer{Username: consumer.Username, Plugins: consumer.Plugins})
		for _, one := range consumer.Credentials {
			to.Consumers = append(to.Consumers, admin.Consumer{
				ID:      consumer.Username + "/credentials/" + cmpID(one.ID, one.Name),
				Plugins: map[string]any{one.Type: one.Config},
			})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(from.GlobalRules)) {
		to.GlobalRules = append(to.GlobalRules, admin.GlobalRule{ID: name,
			Plugins: map[string]any{name: from.GlobalRules[name]}})
	}
	return to
}

func routeOf(route Route, service string) admin.Route {
	made := admin.Route{
		ID: cmpID(route.ID, route.Name), Name: route.Name, Labels: route.Labels, URIs: route.URIs,
		Vars: route.Vars, Plugins: route.Plugins, ServiceID: service,
	}
	if route.Priority != nil {
		made.Priority = *route.Priority
	}
	return made
}

func cmpID(id, name string) string {
	if id != "" {
		return id
	}
	sum := sha1.Sum([]byte(name)) //nolint:gosec // as ADC has it
	return hex.EncodeToString(sum[:])
}

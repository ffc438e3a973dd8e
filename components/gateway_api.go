package components

// gatewaySpec returns the spec of a Gateway with a listener for HTTP and one for a domain's HTTPS.
// Routes of all namespaces may attach to it. name is also the name of the GatewayClass; tls is the
// Secret with the domain's certificate.
func gatewaySpec(name, domain, tls string, http, https int) object {
	routes := object{"namespaces": object{"from": "All"}}
	return object{
		"gatewayClassName": name,
		"listeners": array{
			object{"name": "http", "protocol": "HTTP", "port": http, "allowedRoutes": routes},
			object{
				"name": "https", "protocol": "HTTPS", "port": https, "allowedRoutes": routes,
				"hostname": "*." + domain,
				"tls": object{
					"mode":            "Terminate",
					"certificateRefs": array{object{"kind": "Secret", "name": tls}},
				},
			},
		},
	}
}

// httpRouteSpec returns the spec of an HTTPRoute that sends the requests for host and path to
// backends. gateway is also the Gateway's namespace.
func httpRouteSpec(gateway string, listeners []string, host, path string, backends array) object {
	parents := array{}
	for _, listener := range listeners {
		parents = append(parents,
			object{"name": gateway, "namespace": gateway, "sectionName": listener})
	}
	return object{
		"hostnames":  []string{host},
		"parentRefs": parents,
		"rules": array{object{
			"matches":     array{object{"path": object{"type": "PathPrefix", "value": path}}},
			"backendRefs": backends,
		}},
	}
}

// toService returns the only backend of a route: port 80 of a Service.
func toService(name string) array { return array{object{"name": name, "port": 80}} }

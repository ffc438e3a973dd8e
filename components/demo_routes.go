package components

// demoHTTPRoute returns the spec of an HTTPRoute that sends a host's requests, with and without
// TLS, to port 80 of a Service.
func demoHTTPRoute(host, service string) object {
	return httpRouteSpec(apisixName, []string{"http", "https"}, host, "/", toService(service))
}

// demoApisixRoute returns the spec of an ApisixRoute that sends a host's requests to port 80 of a
// Service. plugins is the name of an ApisixPluginConfig.
func demoApisixRoute(service, host, plugins string) object {
	rule := apisixRule(service, host, []string{"/*"})
	rule["plugin_config_name"] = plugins
	return object{"ingressClassName": apisixName, "http": array{rule}}
}

// demoPlugins returns the spec of an ApisixPluginConfig with one plugin. secret, if not empty, is a
// Secret whose keys are added to the plugin's configuration.
func demoPlugins(plugin string, config object, secret string) object {
	entry := object{"name": plugin, "enable": true,
		"config": config}
	if secret != "" {
		entry["secretRef"] = secret
	}
	return object{"ingressClassName": apisixName, "plugins": array{entry}}
}

// demoConsumer returns the spec of the Consumer whose API key is accepted by the REST API.
func demoConsumer() object {
	return object{
		"gatewayRef": object{
			"group": "gateway.networking.k8s.io", "kind": "Gateway",
			"name": apisixName, "namespace": apisixNamespace,
		},
		"credentials": array{object{
			"type": "key-auth", "name": "primary", "secretRef": object{"name": demoKeySecret},
		}},
	}
}

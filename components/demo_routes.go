package components

// demoHTTPRoute returns the spec of an HTTPRoute that sends a host's requests, with and without
// TLS, to port 80 of a Service.
func demoHTTPRoute(host, service string) object {
	parent := func(section string) object {
		return object{"name": apisixName, "namespace": apisixNamespace, "sectionName": section}
	}
	return object{
		"hostnames":  []string{host},
		"parentRefs": array{parent("http"), parent("https")},
		"rules": array{object{
			"matches": array{
				object{"path": object{"type": "PathPrefix", "value": "/"}}},
			"backendRefs": array{object{"name": service, "port": 80}},
		}},
	}
}

// demoApisixRoute returns the spec of an ApisixRoute that sends a host's requests to port 80 of a
// Service. plugins is the name of an ApisixPluginConfig.
func demoApisixRoute(service, host, plugins string) object {
	return object{
		"ingressClassName": apisixName,
		"http": array{object{
			"name":               service,
			"match":              object{"hosts": []string{host}, "paths": []string{"/*"}},
			"backends":           array{object{"serviceName": service, "servicePort": 80}},
			"plugin_config_name": plugins,
		}},
	}
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

package components

import "github.com/pulumi/pulumi/sdk/v3/go/pulumi"

// demoHTTPRoute returns the spec of an HTTPRoute that sends a host's requests, with and without
// TLS, to port 80 of a Service.
func demoHTTPRoute(host, service string) pulumi.Map {
	parent := func(section string) pulumi.Map {
		return pulumi.Map{"name": pulumi.String(apisixName),
			"namespace": pulumi.String(apisixNamespace), "sectionName": pulumi.String(section)}
	}
	return pulumi.Map{
		"hostnames":  pulumi.ToStringArray([]string{host}),
		"parentRefs": pulumi.Array{parent("http"), parent("https")},
		"rules": pulumi.Array{pulumi.Map{
			"matches": pulumi.Array{
				pulumi.Map{"path": pulumi.Map{"type": pulumi.String("PathPrefix"),
					"value": pulumi.String("/")}}},
			"backendRefs": pulumi.Array{pulumi.Map{"name": pulumi.String(service),
				"port": pulumi.Int(80)}},
		}},
	}
}

// demoApisixRoute returns the spec of an ApisixRoute that sends a host's requests to port 80 of a
// Service. plugins is the name of an ApisixPluginConfig.
func demoApisixRoute(service, host, plugins string) pulumi.Map {
	return pulumi.Map{
		"ingressClassName": pulumi.String(apisixName),
		"http": pulumi.Array{pulumi.Map{
			"name": pulumi.String(service),
			"match": pulumi.Map{"hosts": pulumi.ToStringArray([]string{host}),
				"paths": pulumi.ToStringArray([]string{"/*"})},
			"backends": pulumi.Array{pulumi.Map{"serviceName": pulumi.String(service),
				"servicePort": pulumi.Int(80)}},
			"plugin_config_name": pulumi.String(plugins),
		}},
	}
}

// demoPlugins returns the spec of an ApisixPluginConfig with one plugin. secret, if not empty, is a
// Secret whose keys are added to the plugin's configuration.
func demoPlugins(plugin string, config pulumi.Map, secret string) pulumi.Map {
	entry := pulumi.Map{"name": pulumi.String(plugin), "enable": pulumi.Bool(true),
		"config": config}
	if secret != "" {
		entry["secretRef"] = pulumi.String(secret)
	}
	return pulumi.Map{"ingressClassName": pulumi.String(apisixName), "plugins": pulumi.Array{entry}}
}

// demoConsumer returns the spec of the Consumer whose API key is accepted by the REST API.
func demoConsumer() pulumi.Map {
	return pulumi.Map{
		"gatewayRef": pulumi.Map{
			"group": pulumi.String("gateway.networking.k8s.io"), "kind": pulumi.String("Gateway"),
			"name": pulumi.String(apisixName), "namespace": pulumi.String(apisixNamespace),
		},
		"credentials": pulumi.Array{pulumi.Map{
			"type": pulumi.String("key-auth"), "name": pulumi.String("primary"),
			"secretRef": pulumi.Map{"name": pulumi.String(demoKeySecret)},
		}},
	}
}

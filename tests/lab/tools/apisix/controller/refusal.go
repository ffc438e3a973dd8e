package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/tests/lab/tools/apisix/adc"
)

// refusal returns the reason why the webhook rejects an object. Since 2.1.0, the webhook translates
// an ApisixRoute, an ApisixTls or a Consumer for the data plane, and lets ADC validate the result
// (internal/webhook/v1/adc_validation.go).
//
// The webhook rejects an object that needs a missing object: the GatewayProxy of its class, the
// Secret and the Service of the GatewayProxy, a plugin configuration, or the Secret of a plugin. It
// admits an object whose class does not exist, because no controller is responsible for it. It also
// admits an object if ADC or the data plane does not respond.
func (c *controller) refusal(ctx context.Context, o object) error {
	var proxy object
	var err error
	switch o.GetKind() {
	case "ApisixRoute", "ApisixTls":
		class := c.get(ingressClass, "", text(o, "spec", "ingressClassName"))
		if class == nil || text(class, "spec", "controller") != controllerName {
			return nil
		}
		if o.GetKind() == "ApisixTls" && len(c.secret(text(o, "spec", "secret", "namespace"),
			text(o, "spec", "secret", "name"))) == 0 {
			return nil // only a warning (internal/webhook/v1/apisixtls_webhook.go)
		}
		proxy, err = c.needed(proxies, text(class, "spec", "parameters", "namespace"),
			text(class, "spec", "parameters", "name"))
	case "Consumer":
		ref, _, _ := unstructured.NestedMap(o.Object, "spec", "gatewayRef")
		gateway := c.parent(o, ref)
		if gateway == nil {
			return nil
		}
		proxy, err = c.needed(proxies, gateway.GetNamespace(),
			text(gateway, "spec", "infrastructure", "parametersRef", "name"))
	default:
		return nil
	}
	if err != nil {
		return err
	}
	request, err := c.request(proxy)
	if err != nil || len(request.Task.Opts.Server) == 0 {
		return err
	}
	if request.Task.Config, err = c.alone(o); err != nil {
		return err
	}
	var said struct {
		Success bool   `json:"success"`
		Message string `json:"message"`
	}
	if err := c.adc(ctx, "validate", request, &said); err == nil && !said.Success {
		return fmt.Errorf("ADC validation: %s", said.Message)
	}
	return nil
}

// alone returns the data plane's resources for a single object.
func (c *controller) alone(o object) (adc.Resources, error) {
	var sent adc.Resources
	switch o.GetKind() {
	case "ApisixRoute":
		for _, entry := range list(o.Object, "spec", "http") {
			name, _ := entry["plugin_config_name"].(string)
			if name == "" {
				continue
			}
			found := c.get(pluginConfigs, o.GetNamespace(), name)
			if found == nil {
				return sent, fmt.Errorf("failed to get ApisixPluginConfig: %s/%s", o.GetNamespace(), name)
			}
			for _, plugin := range list(found.Object, "spec", "plugins") {
				if ref, _ := plugin["secretRef"].(string); ref != "" && c.get(secrets, o.GetNamespace(), ref) == nil {
					return sent, fmt.Errorf("failed to get Secret: %s/%s", o.GetNamespace(), ref)
				}
			}
		}
		c.apisixRoute(o, &sent)
	case "ApisixTls":
		pair := c.pair(text(o, "spec", "secret", "namespace"), text(o, "spec", "secret", "name"))
		if pair == nil {
			return sent, fmt.Errorf("invalid apisix tls secret")
		}
		pair.SNIs = texts(o.Object, "spec", "hosts")
		sent.SSLs = []adc.SSL{*pair}
	case "Consumer":
		sent.Consumers = []adc.Consumer{c.consumer(o)}
	}
	return sent, nil
}

// needed returns an object, or an error if it does not exist.
func (c *controller) needed(resource schema.GroupVersionResource, namespace, name string) (object, error) {
	if found := c.get(resource, namespace, name); found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("%s %q not found", resource.GroupResource(), name)
}

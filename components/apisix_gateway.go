package components

import (
	"fmt"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions"
	"strata/actions/cluster/gatewayclass"
	"strata/internal/pulumi/self"
)

// certificate registers the domain's certificate and the ApisixTls that uses it. Neither the
// ApisixTls nor the Gateway waits for the certificate's Secret: the controller reconciles both
// again when the Secret is created.
func (a *apisix) certificate() error {
	certificate, err := NewCertificate(a.ctx, a.name+"-tls", &CertificateArgs{
		Namespace: apisixNamespace, Secret: apisixTLS,
		DNSNames: []string{a.args.Domain, "*." + a.args.Domain},
		Signer:   a.args.Signer, Leaf: !a.args.Full, Cluster: a.args.Cluster,
		Timeouts: a.args.Timeouts, Layer: "apisix",
		After: []pulumi.Resource{a.args.Certificates, a.namespace},
	}, pulumi.Parent(a))
	if err != nil {
		return err
	}
	if a.args.Full {
		a.tls = certificate.Ready
	}
	_, err = a.object("certificate", customResource{
		apiVersion: "apisix.apache.org/v2", kind: "ApisixTls", name: apisixTLS,
		namespace: apisixNamespace, spec: object{
			"ingressClassName": apisixName,
			"hosts":            []string{a.args.Domain, "*." + a.args.Domain},
			"secret":           object{"name": apisixTLS, "namespace": apisixNamespace},
		},
	}, a.Webhook)
	return err
}

// classes registers the GatewayProxy, by which the controller reaches the data plane, and the
// IngressClass that refers to it. The order matters: since 2.1.0 the webhook has the data plane
// validate each object of the class, and refuses the object for good if the Service or the
// GatewayProxy is missing (apisix-ingress-controller internal/webhook/v1/adc_validation.go). It
// admits objects whose class does not exist yet. So the GatewayProxy waits for the data plane's
// release, and the IngressClass waits for the GatewayProxy. The chart's own IngressClass is not
// used: it refers to a GatewayProxy only if the chart also creates the GatewayProxy, which fails
// before the webhook serves.
func (a *apisix) classes() error {
	var err error
	a.proxy, err = a.object("proxy", customResource{
		apiVersion: "apisix.apache.org/v1alpha1", kind: "GatewayProxy", name: apisixProxy,
		namespace: apisixNamespace, spec: apisixProxySpec(a.args.Config),
	}, a.Webhook, a.plane.object)
	if err != nil {
		return err
	}
	_, err = newObject(a.ctx, a.args.Cluster, "kubernetes:networking.k8s.io/v1:IngressClass",
		a.name+"-ingress-class", object{
			"apiVersion": "networking.k8s.io/v1",
			"kind":       "IngressClass",
			// APISIX has a webhook for this built-in kind, so a foreground delete could hang.
			"metadata": object{"name": apisixName,
				"annotations": object{background: "background"}},
			"spec": object{
				"controller": apisixControllerName,
				"parameters": object{
					"apiGroup": "apisix.apache.org",
					"kind":     "GatewayProxy", "name": apisixProxy,
					"namespace": apisixNamespace,
					"scope":     "Namespace",
				},
			},
		}, childOf(a, a.Webhook, a.proxy)...)
	if err != nil {
		return fmt.Errorf("ingress class: %w", err)
	}
	return nil
}

// listen registers the Gateway and its GatewayClass. Only a running controller removes the class's
// finalizer, so the class is deleted before the controller's release. If the controller does not
// run any more, the delete of the command class-release removes the finalizer.
func (a *apisix) listen() error {
	class, err := a.object("gateway-class", customResource{
		apiVersion: "gateway.networking.k8s.io/v1", kind: "GatewayClass", name: apisixName,
		spec: object{"controllerName": apisixControllerName},
	}, a.controller.object)
	if err != nil {
		return err
	}
	command := actions.AtDelete(actions.Command(gatewayclass.Release, gatewayclass.Input{
		Class: apisixName, Finalizer: apisixFinalizer, Timeout: a.args.Timeouts.APISIX,
	}, pulumi.StringMap{self.Kubeconfig: a.args.Cluster.Kubeconfig}))
	release, err := local.NewCommand(a.ctx, a.name+"-class-release", command,
		append(childOf(a, class), a.args.Cluster.deletedWith(),
			customTimeouts(a.args.Timeouts.APISIX))...)
	if err != nil {
		return fmt.Errorf("release of the class: %w", err)
	}
	a.gateway, err = a.object("gateway", customResource{
		apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", name: apisixName,
		namespace: apisixNamespace, spec: apisixGatewaySpec(a.args.Domain),
	}, a.Webhook, a.proxy, release)
	return err
}

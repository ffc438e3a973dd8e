// Command stack-reference deploys an application into a cluster that Strata brought up. It is a
// Pulumi project of its own. It knows only the outputs of Strata's stack (docs/outputs.md).
package main

import (
	"fmt"

	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"
	appsv1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/apps/v1"
	corev1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/core/v1"
	metav1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/meta/v1"
	networkingv1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/networking/v1"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() { pulumi.Run(run) }

// run reads the platform's outputs and registers a Deployment, a Service and an Ingress.
func run(ctx *pulumi.Context) error {
	settings := config.New(ctx, "")
	platform, err := pulumi.NewStackReference(ctx, settings.Require("platform"), nil) // such as organization/strata/local
	if err != nil {
		return err
	}
	provider, err := kubernetes.NewProvider(ctx, "platform", &kubernetes.ProviderArgs{
		Kubeconfig: platform.GetStringOutput(pulumi.String("kubeconfig")), // the output is a secret, and stays one
	})
	if err != nil {
		return err
	}
	in := pulumi.Provider(provider)
	namespace, err := corev1.NewNamespace(ctx, "hello", nil, in)
	if err != nil {
		return err
	}
	labels := pulumi.StringMap{"app": pulumi.String("hello")}
	meta := &metav1.ObjectMetaArgs{Namespace: namespace.Metadata.Name(), Labels: labels}
	port := pulumi.Int(settings.RequireInt("port"))
	if _, err := appsv1.NewDeployment(ctx, "hello", &appsv1.DeploymentArgs{Metadata: meta, Spec: &appsv1.DeploymentSpecArgs{
		Selector: &metav1.LabelSelectorArgs{MatchLabels: labels},
		Template: &corev1.PodTemplateSpecArgs{Metadata: &metav1.ObjectMetaArgs{Labels: labels}, Spec: &corev1.PodSpecArgs{
			Containers: corev1.ContainerArray{&corev1.ContainerArgs{
				Name: pulumi.String("hello"), Image: pulumi.String(settings.Require("image")),
				Ports:          corev1.ContainerPortArray{&corev1.ContainerPortArgs{ContainerPort: port}},
				ReadinessProbe: &corev1.ProbeArgs{TcpSocket: &corev1.TCPSocketActionArgs{Port: port}},
			}},
		}},
	}}, in); err != nil {
		return err
	}
	service, err := corev1.NewService(ctx, "hello", &corev1.ServiceArgs{Metadata: meta, Spec: &corev1.ServiceSpecArgs{
		Selector: labels, Ports: corev1.ServicePortArray{&corev1.ServicePortArgs{Port: pulumi.Int(80), TargetPort: port}},
	}}, in)
	if err != nil {
		return err
	}
	host := settings.Require("host") // this name is below strata:ingress.domain, whose certificate it gets
	if _, err := networkingv1.NewIngress(ctx, "hello", &networkingv1.IngressArgs{Metadata: meta, Spec: &networkingv1.IngressSpecArgs{
		IngressClassName: pulumi.String("traefik"),
		Tls:              networkingv1.IngressTLSArray{&networkingv1.IngressTLSArgs{Hosts: pulumi.ToStringArray([]string{host})}},
		Rules: networkingv1.IngressRuleArray{&networkingv1.IngressRuleArgs{Host: pulumi.String(host), Http: &networkingv1.HTTPIngressRuleValueArgs{
			Paths: networkingv1.HTTPIngressPathArray{&networkingv1.HTTPIngressPathArgs{
				Path: pulumi.String("/"), PathType: pulumi.String("Prefix"), Backend: &networkingv1.IngressBackendArgs{
					Service: &networkingv1.IngressServiceBackendArgs{Name: service.Metadata.Name().Elem(), Port: &networkingv1.ServiceBackendPortArgs{Number: pulumi.Int(80)}},
				},
			}},
		}}},
	}}, in); err != nil {
		return err
	}
	ctx.Export("url", pulumi.String(fmt.Sprintf("https://%s/", host)))
	ctx.Export("address", platform.GetOutput(pulumi.String("ingressAddress")))
	return nil
}

// Command own-program is a Pulumi program that uses Strata's components. It puts MetalLB and
// cert-manager into an existing cluster, and an application of its own behind a gate
// (docs/own-program.md). It is a module of its own, which cannot import Strata's internal packages.
package main

import (
	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"
	appsv1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/apps/v1"
	corev1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/core/v1"
	metav1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/meta/v1"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	pulumiconfig "github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"

	"strata/cli"
	"strata/components"
	"strata/config"
	"strata/health/rollout"
	"strata/platform"
)

func main() { cli.Main(platform.Program{Configure: configure, Layers: layers}) }

// configure enables the layers of Strata that the program registers. Their keys are those of
// docs/config.md, in the stack file.
func configure(cfg *config.Config) {
	cfg.MetalLB.Enabled, cfg.CertManager.Enabled = new(true), new(true)
}

// layers registers the cluster, then the two layers, which do not depend on each other, and the
// application.
func layers(ctx *pulumi.Context, start platform.Start) error {
	settings := pulumiconfig.New(ctx, "")
	existing, err := components.NewExistingCluster(ctx, "cluster", &components.ExistingClusterArgs{
		Kubeconfig: settings.RequireSecret("kubeconfig"), // an output of any resource serves as well
		Timeouts:   start.Config.Timeouts, Artifacts: start.Artifacts,
	})
	if err != nil {
		return err
	}
	layer := start.Layer(existing.Cluster)
	metallb, err := components.NewMetalLB(ctx, "metallb", &components.MetalLBArgs{
		Layer: layer, Config: start.Config.MetalLB,
		Addresses: pulumi.StringArray{pulumi.String(settings.Require("addresses"))}, // or an output
	})
	if err != nil {
		return err
	}
	manager, err := components.NewCertManager(ctx, "cert-manager", &components.CertManagerArgs{
		Layer: layer, Config: start.Config.CertManager,
	})
	if err != nil {
		return err
	}
	hello, err := application(ctx, existing.Cluster.Provider, settings, metallb.Pool, manager.API)
	if err != nil {
		return err
	}
	// Gates run a copy of this very program.
	_, err = components.NewGate(ctx, "hello-rollout", &components.GateArgs{
		Cluster: existing.Cluster, Body: rollout.Spec{
			Workloads: []string{"hello/Deployment/hello"}},
		Timeout: start.Config.Timeouts.Workload, TimeoutKey: "strata:timeouts.workload",
		After: []pulumi.Resource{hello},
	})
	return err
}

// application registers a Deployment, and a Service with an address from MetalLB. The Service waits
// for a working address pool. The Deployment waits for cert-manager, which may have to sign a
// certificate for it.
func application(
	ctx *pulumi.Context, cluster *kubernetes.Provider, settings *pulumiconfig.Config, pool,
	signer *components.Gate,
) (*appsv1.Deployment, error) {
	in := pulumi.Provider(cluster)
	namespace, err := corev1.NewNamespace(ctx, "hello", &corev1.NamespaceArgs{
		Metadata: &metav1.ObjectMetaArgs{Name: pulumi.String("hello")},
	}, in)
	if err != nil {
		return nil, err
	}
	labels := pulumi.StringMap{"app": pulumi.String("hello")}
	port := pulumi.Int(settings.RequireInt("port"))
	meta := &metav1.ObjectMetaArgs{Name: pulumi.String("hello"),
		Namespace: namespace.Metadata.Name(), Labels: labels}
	service, err := corev1.NewService(ctx, "hello",
		&corev1.ServiceArgs{Metadata: meta, Spec: &corev1.ServiceSpecArgs{
			Type: pulumi.String("LoadBalancer"), Selector: labels,
			Ports: corev1.ServicePortArray{&corev1.ServicePortArgs{Port: pulumi.Int(80),
				TargetPort: port}},
		}}, in, components.WaitFor(pool))
	if err != nil {
		return nil, err
	}
	ctx.Export("address", service.Status.LoadBalancer().Ingress().Index(pulumi.Int(0)).Ip())
	unawaited := &metav1.ObjectMetaArgs{
		Name: meta.Name, Namespace: meta.Namespace, Labels: labels,
		Annotations: pulumi.StringMap{"pulumi.com/skipAwait": pulumi.String("true")}, // the gate waits, and reports why
	}
	container := &corev1.ContainerArgs{
		Name: pulumi.String("hello"), Image: pulumi.String(settings.Require("image")),
		Ports:          corev1.ContainerPortArray{&corev1.ContainerPortArgs{ContainerPort: port}},
		ReadinessProbe: &corev1.ProbeArgs{TcpSocket: &corev1.TCPSocketActionArgs{Port: port}},
	}
	return appsv1.NewDeployment(ctx, "hello", &appsv1.DeploymentArgs{
		Metadata: unawaited,
		Spec: &appsv1.DeploymentSpecArgs{
			Selector: &metav1.LabelSelectorArgs{MatchLabels: labels},
			Template: &corev1.PodTemplateSpecArgs{
				Metadata: &metav1.ObjectMetaArgs{Labels: labels},
				Spec:     &corev1.PodSpecArgs{Containers: corev1.ContainerArray{container}},
			},
		},
	}, in, components.WaitFor(signer))
}

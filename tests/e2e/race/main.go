// Race is MetalLB as people write it: the address pool right behind the Helm release, and nothing that looks at the webhook
// between them. The story in tests/e2e shows that the pool is refused on a cluster where Strata's gate lets it through.
//
// RACE_KUBECONFIG is the kubeconfig's text and RACE_CHART the chart file's path.
package main

import (
	"os"

	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// object is a Kubernetes object that is registered by its token.
type object struct{ pulumi.CustomResourceState }

func main() { pulumi.Run(program) }

func program(ctx *pulumi.Context) error {
	provider, err := kubernetes.NewProvider(ctx, "cluster", &kubernetes.ProviderArgs{
		Kubeconfig: pulumi.ToSecret(pulumi.String(os.Getenv("RACE_KUBECONFIG"))).(pulumi.StringOutput),
	})
	if err != nil {
		return err
	}
	register := func(token, name string, fields pulumi.Map, behind ...pulumi.Resource) (*object, error) {
		made := &object{}
		return made, ctx.RegisterResource(token, name, fields, made, pulumi.Provider(provider), pulumi.DependsOn(behind))
	}
	namespace, err := register("kubernetes:core/v1:Namespace", "namespace", pulumi.Map{
		"apiVersion": pulumi.String("v1"), "kind": pulumi.String("Namespace"),
		"metadata": pulumi.Map{"name": pulumi.String("metallb-system")},
	})
	if err != nil {
		return err
	}
	release, err := register("kubernetes:helm.sh/v3:Release", "metallb", pulumi.Map{
		"name": pulumi.String("metallb"), "namespace": pulumi.String("metallb-system"),
		"chart": pulumi.String(os.Getenv("RACE_CHART")), "skipAwait": pulumi.Bool(true),
		"values": pulumi.Map{
			"frrk8s":  pulumi.Map{"enabled": pulumi.Bool(false)},
			"speaker": pulumi.Map{"frr": pulumi.Map{"enabled": pulumi.Bool(false)}},
		},
	}, namespace)
	if err != nil {
		return err
	}
	_, err = register("kubernetes:metallb.io/v1beta1:IPAddressPool", "pool", pulumi.Map{
		"apiVersion": pulumi.String("metallb.io/v1beta1"), "kind": pulumi.String("IPAddressPool"),
		"metadata": pulumi.Map{"name": pulumi.String("default"), "namespace": pulumi.String("metallb-system")},
		"spec":     pulumi.Map{"addresses": pulumi.ToStringArray([]string{"192.0.2.1-192.0.2.9"})},
	}, release)
	return err
}

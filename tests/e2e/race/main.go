// Race is a Pulumi program without Strata's gates. In each case it creates an object too early: a
// custom resource before its webhook serves, or a release before the objects that it reads. A story
// of tests/e2e shows the failure. On the same cluster, the objects succeed behind Strata's gates.
//
// RACE_CASE selects the case. RACE_KUBECONFIG is the text of the kubeconfig, and RACE_CHARTS the
// folder of the charts.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// object is a Kubernetes object that is registered by its Pulumi type token.
type object struct{ pulumi.CustomResourceState }

// race has the releases of a case, and the object that is created right after them.
type race struct {
	releases []release
	token    string // empty if no object is created
	object   pulumi.Map
}

// release is a chart with its values.
type release struct {
	chart  string
	values pulumi.Map
}

const on = pulumi.Bool(true)

func off() pulumi.Map { return pulumi.Map{"enabled": pulumi.Bool(false)} }

var metallb = release{"metallb", pulumi.Map{"frrk8s": off(), "speaker": pulumi.Map{"frr": off()}}}

var races = map[string]race{
	"pool": {
		releases: []release{metallb},
		token:    "kubernetes:metallb.io/v1beta1:IPAddressPool",
		object: pulumi.Map{
			"apiVersion": pulumi.String("metallb.io/v1beta1"),
			"kind":       pulumi.String("IPAddressPool"),
			"metadata": pulumi.Map{"name": pulumi.String("default"),
				"namespace": pulumi.String("race")},
			"spec": pulumi.Map{"addresses": pulumi.ToStringArray(
				[]string{"192.0.2.1-192.0.2.9"})},
		},
	},
	"issuer": {
		releases: []release{{"cert-manager",
			pulumi.Map{"crds": pulumi.Map{"enabled": on, "keep": pulumi.Bool(false)},
				"startupapicheck": off()}}},
		token: "kubernetes:cert-manager.io/v1:ClusterIssuer",
		object: pulumi.Map{
			"apiVersion": pulumi.String("cert-manager.io/v1"),
			"kind":       pulumi.String("ClusterIssuer"),
			"metadata":   pulumi.Map{"name": pulumi.String("race")},
			"spec":       pulumi.Map{"selfSigned": pulumi.Map{}},
		},
	},
	"certificate": {
		token: "kubernetes:cert-manager.io/v1:Certificate",
		object: pulumi.Map{
			"apiVersion": pulumi.String("cert-manager.io/v1"), "kind": pulumi.String("Certificate"),
			"metadata": pulumi.Map{"name": pulumi.String("race"),
				"namespace": pulumi.String("race")},
			"spec": pulumi.Map{
				"secretName": pulumi.String("race"),
				"dnsNames":   pulumi.ToStringArray([]string{"race.test"}),
				"issuerRef": pulumi.Map{"name": pulumi.String("race"),
					"kind": pulumi.String("ClusterIssuer")},
			},
		},
	},
	// MetalLB gets no pool, and Traefik no CRDs. Traefik's chart must not create its GatewayClass,
	// which the API server would refuse.
	"silent": {releases: []release{metallb, {"traefik", pulumi.Map{
		"providers": pulumi.Map{"kubernetesGateway": pulumi.Map{"enabled": on},
			"kubernetesCRD": off()},
		"gatewayClass": off(), "gateway": off(),
	}}}},
}

func main() { pulumi.Run(program) }

func program(ctx *pulumi.Context) error {
	race, known := races[os.Getenv("RACE_CASE")]
	if !known {
		return fmt.Errorf("RACE_CASE %q is not known", os.Getenv("RACE_CASE"))
	}
	provider, err := kubernetes.NewProvider(ctx, "cluster", &kubernetes.ProviderArgs{
		Kubeconfig: pulumi.ToSecret(pulumi.String(os.Getenv("RACE_KUBECONFIG"))).(pulumi.StringOutput),
	})
	if err != nil {
		return err
	}
	register := func(
		token, name string, fields pulumi.Map, behind ...pulumi.Resource,
	) (*object, error) {
		made := &object{}
		return made, ctx.RegisterResource(token, name, fields, made, pulumi.Provider(provider),
			pulumi.DependsOn(behind))
	}
	behind, err := register("kubernetes:core/v1:Namespace", "namespace", pulumi.Map{
		"apiVersion": pulumi.String("v1"), "kind": pulumi.String("Namespace"),
		"metadata": pulumi.Map{"name": pulumi.String("race")},
	})
	if err != nil {
		return err
	}
	for _, one := range race.releases {
		charts, err := filepath.Glob(filepath.Join(os.Getenv("RACE_CHARTS"), one.chart+"-*.tgz"))
		if err != nil || len(charts) != 1 {
			return fmt.Errorf("chart %s in %s: expected one, found %v", one.chart,
				os.Getenv("RACE_CHARTS"), charts)
		}
		behind, err = register("kubernetes:helm.sh/v3:Release", "release-"+one.chart, pulumi.Map{
			"name": pulumi.String(one.chart), "namespace": pulumi.String("race"),
			"chart":     pulumi.String(charts[0]),
			"skipAwait": on, "skipCrds": on, "values": one.values, // Helm never deletes a chart's CRDs
		}, behind)
		if err != nil {
			return err
		}
	}
	if race.token != "" {
		_, err = register(race.token, "object", race.object, behind)
	}
	return err
}

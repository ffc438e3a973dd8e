package components

import (
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
)

// layerPolicy lists the clients of the Pods of a layer's chart. All other traffic to them is
// refused.
type layerPolicy struct {
	// pods are the labels that the chart gives them.
	pods pulumi.Map
	// open are the ports for every address. API servers call webhooks from addresses of nodes, and
	// so do users behind a load balancer that hides the client.
	open []int
	// udp opens them for UDP as well.
	udp bool
	// from is a namespace whose Pods reach every port. Optional.
	from string
}

func instanceLabel(instance string) pulumi.Map {
	return pulumi.Map{"app.kubernetes.io/instance": pulumi.String(instance)}
}

// newNetworkPolicy registers one policy.
func newNetworkPolicy(
	ctx *pulumi.Context, cluster *Cluster, resource, namespace, name string, spec pulumi.MapInput,
	opts ...pulumi.ResourceOption,
) error {
	_, err := newObject(ctx, cluster, "kubernetes:networking.k8s.io/v1:NetworkPolicy", resource,
		pulumi.Map{
			"apiVersion": pulumi.String("networking.k8s.io/v1"),
			"kind":       pulumi.String("NetworkPolicy"),
			"metadata": pulumi.Map{"name": pulumi.String(name),
				"namespace": pulumi.String(namespace)},
			"spec": spec,
		}, opts...)
	if err != nil {
		return fmt.Errorf("network policy: %w", err)
	}
	return nil
}

// spec returns the specification of the policy.
func (p layerPolicy) spec(values config.Values) pulumi.Map {
	open, protocols := slices.Clone(p.open), []string{"TCP"}
	for _, key := range []string{"ports", "prometheus", "webhook"} {
		open = append(open, portsBelow(values.Tree[key])...)
	}
	if p.udp {
		protocols = append(protocols, "UDP")
	}
	slices.Sort(open)
	var ports, ingress pulumi.Array
	for _, port := range slices.Compact(open) {
		for _, protocol := range protocols {
			ports = append(ports, pulumi.Map{"port": pulumi.Int(port),
				"protocol": pulumi.String(protocol)})
		}
	}
	if len(ports) > 0 { // a rule without ports would open all
		ingress = append(ingress, pulumi.Map{"ports": ports})
	}
	if p.from != "" {
		ingress = append(ingress, pulumi.Map{
			"from": pulumi.Array{pulumi.Map{"namespaceSelector": pulumi.Map{
				"matchLabels": pulumi.Map{"kubernetes.io/metadata.name": pulumi.String(p.from)},
			}}}})
	}
	return pulumi.Map{
		"podSelector": pulumi.Map{"matchLabels": p.pods}, "ingress": ingress,
		"policyTypes": pulumi.ToStringArray([]string{"Ingress"}),
	}
}

// portsBelow returns the whole numbers within a chart's value that can be ports.
func portsBelow(value any) (found []int) {
	switch v := value.(type) {
	case int64:
		if v > 0 && v <= 65535 {
			found = append(found, int(v))
		}
	case []any:
		for _, one := range v {
			found = append(found, portsBelow(one)...)
		}
	case map[string]any:
		for _, one := range v {
			found = append(found, portsBelow(one)...)
		}
	}
	return found
}

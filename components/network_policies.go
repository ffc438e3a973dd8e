package components

import (
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
)

// layerPolicy describes a layer's network policy, which allows the listed ingress traffic to the
// chart's Pods and no other.
type layerPolicy struct {
	// pods are the labels that select the chart's Pods.
	pods object
	// open are the ports that are open for all addresses. They cannot be limited to clients in the
	// cluster: API servers call webhooks from the addresses of nodes, from which users' requests
	// may come as well.
	open []int
	// udp opens the ports for UDP as well as TCP.
	udp bool
	// from is a namespace whose Pods may reach all ports. Optional.
	from string
}

// nameLabel returns the label that selects the Pods of an application.
func nameLabel(name string) object { return object{"app.kubernetes.io/name": name} }

// instanceLabel returns the label that selects the Pods of a chart's release.
func instanceLabel(instance string) object {
	return object{"app.kubernetes.io/instance": instance}
}

func newNetworkPolicy(
	ctx *pulumi.Context, cluster *Cluster, resource, namespace, name string, spec pulumi.MapInput,
	opts ...pulumi.ResourceOption,
) error {
	_, err := newObject(ctx, cluster, "kubernetes:networking.k8s.io/v1:NetworkPolicy", resource,
		object{
			"apiVersion": "networking.k8s.io/v1",
			"kind":       "NetworkPolicy",
			"metadata":   object{"name": name, "namespace": namespace},
			"spec":       spec,
		}, opts...)
	if err != nil {
		return fmt.Errorf("network policy: %w", err)
	}
	return nil
}

// spec returns the spec of the NetworkPolicy. It also opens the ports in values, the user's values
// of the chart.
func (p layerPolicy) spec(values config.Values) object {
	open, protocols := slices.Clone(p.open), []string{"TCP"}
	for _, key := range []string{"ports", "prometheus", "webhook"} {
		open = append(open, portsBelow(values.Tree[key])...)
	}
	if p.udp {
		protocols = append(protocols, "UDP")
	}
	slices.Sort(open)
	var ports, ingress array
	for _, port := range slices.Compact(open) {
		for _, protocol := range protocols {
			ports = append(ports, object{"port": port, "protocol": protocol})
		}
	}
	if len(ports) > 0 { // a rule without ports would open all ports
		ingress = append(ingress, object{"ports": ports})
	}
	if p.from != "" {
		ingress = append(ingress, object{
			"from": array{object{"namespaceSelector": object{
				"matchLabels": object{"kubernetes.io/metadata.name": p.from},
			}}}})
	}
	return object{
		"podSelector": object{"matchLabels": p.pods}, "ingress": ingress,
		"policyTypes": []string{"Ingress"},
	}
}

// portsBelow returns all integers from 1 to 65535 in a chart's value and the values in it.
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

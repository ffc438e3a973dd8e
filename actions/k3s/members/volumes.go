package members

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"strata/internal/kube/apiserver"
)

// KeepsVolumes returns an error if the removal of members would delete volumes that no remaining
// node can use. The uninstall of K3s deletes everything that its local-path provisioner has on the
// host. discard names members whose volumes may be deleted. The check runs before any member is
// changed.
func (r *Remover) KeepsVolumes(ctx context.Context, leaving []Member, discard []string) error {
	nodes, err := r.nodes(ctx, "")
	if err != nil {
		return err
	}
	stay, leave := split(nodes, leaving)
	volumes, err := apiserver.List(ctx, r.Client.CoreV1().PersistentVolumes(),
		metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("volumes: %w", err)
	}
	held := map[string][]string{}
	for i := range volumes.Items {
		volume := &volumes.Items[i]
		if !isNeeded(volume) || slices.ContainsFunc(stay,
			func(node labels.Set) bool { return usable(volume, node) }) {
			continue
		}
		for name, node := range leave {
			if usable(volume, node) && !slices.Contains(discard, name) {
				held[name] = append(held[name],
					fmt.Sprintf("%s/%s (%s)", volume.Spec.ClaimRef.Namespace,
						volume.Spec.ClaimRef.Name, volume.Spec.Capacity.Storage()))
			}
		}
	}
	return refusal(held)
}

// refusal returns an error that lists each member with its volumes; nil if held is empty.
func refusal(held map[string][]string) error {
	if len(held) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(held))
	var holders []string
	for _, name := range names {
		slices.Sort(held[name])
		holders = append(holders, fmt.Sprintf("%s holds the volumes of %s", name,
			strings.Join(held[name], ", ")))
	}
	return fmt.Errorf("refused, nothing was changed: %s, and removing a node wipes them; move "+
		"the data and delete the claims, put the node back into strata:hosts, "+
		"or say that they may go: strata:k3s.discardVolumesOf: [%s]", strings.Join(holders, "; "),
		strings.Join(names, ", "))
}

// split returns the labels of the nodes that stay in the cluster and, by name, the labels of those
// that leave it, to match them with a volume's node affinity. A member without a Node only gets its
// name as a label, because its disk may still exist.
func split(nodes []corev1.Node, leaving []Member) (stay []labels.Set, leave map[string]labels.Set) {
	leave = map[string]labels.Set{}
	for _, member := range leaving {
		leave[member.Name] = labels.Set{corev1.LabelHostname: member.Name,
			metav1.ObjectNameField: member.Name}
	}
	for i := range nodes {
		set := labels.Merge(nodes[i].Labels, labels.Set{metav1.ObjectNameField: nodes[i].Name})
		if _, leaves := leave[nodes[i].Name]; leaves {
			leave[nodes[i].Name] = set
		} else {
			stay = append(stay, set)
		}
	}
	return stay, leave
}

// isNeeded reports whether a volume may have data of users: it is bound, or it is released and its
// reclaim policy is Retain.
func isNeeded(volume *corev1.PersistentVolume) bool {
	return volume.Spec.ClaimRef != nil &&
		(volume.Status.Phase == corev1.VolumeBound ||
			volume.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimRetain)
}

// usable reports whether a volume can be used on a node, by its node affinity. A volume without one
// can be used on every node.
func usable(volume *corev1.PersistentVolume, node labels.Set) bool {
	if volume.Spec.NodeAffinity == nil || volume.Spec.NodeAffinity.Required == nil {
		return true
	}
	return slices.ContainsFunc(volume.Spec.NodeAffinity.Required.NodeSelectorTerms,
		func(term corev1.NodeSelectorTerm) bool {
			all := slices.Concat(term.MatchExpressions, term.MatchFields)
			return len(all) > 0 && !slices.ContainsFunc(all,
				func(one corev1.NodeSelectorRequirement) bool { return !matches(one, node) })
		})
}

// operators maps the operators of node affinity to those of label selectors.
var operators = map[corev1.NodeSelectorOperator]selection.Operator{
	corev1.NodeSelectorOpIn: selection.In, corev1.NodeSelectorOpNotIn: selection.NotIn,
	corev1.NodeSelectorOpExists:       selection.Exists,
	corev1.NodeSelectorOpDoesNotExist: selection.DoesNotExist,
	corev1.NodeSelectorOpGt:           selection.GreaterThan,
	corev1.NodeSelectorOpLt:           selection.LessThan,
}

func matches(one corev1.NodeSelectorRequirement, node labels.Set) bool {
	requirement, err := labels.NewRequirement(one.Key, operators[one.Operator], one.Values)
	return err == nil && requirement.Matches(node)
}

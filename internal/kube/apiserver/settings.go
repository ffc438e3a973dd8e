package apiserver

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// NodeSettings holds the labels and taints that a stack sets on one Node. Labels and taints that
// are not listed are not changed.
type NodeSettings struct {
	Labels map[string]string `json:"labels,omitempty"`
	// Taints are written as kubectl writes them: key=value:Effect.
	Taints []string `json:"taints,omitempty"`
}

// IsEmpty reports whether nothing is set.
func (s NodeSettings) IsEmpty() bool { return len(s.Labels) == 0 && len(s.Taints) == 0 }

// LabelFlags returns the labels as key=value, in a stable order.
func (s NodeSettings) LabelFlags() []string {
	flags := make([]string, 0, len(s.Labels))
	for _, key := range slices.Sorted(maps.Keys(s.Labels)) {
		flags = append(flags, key+"="+s.Labels[key])
	}
	return flags
}

// FindMissing returns the settings that a Node does not have.
func (s NodeSettings) FindMissing(node *corev1.Node) NodeSettings {
	var lacking NodeSettings
	for key, value := range s.Labels {
		if found, ok := node.Labels[key]; !ok || found != value {
			if lacking.Labels == nil {
				lacking.Labels = map[string]string{}
			}
			lacking.Labels[key] = value
		}
	}
	for _, text := range s.Taints {
		if !slices.ContainsFunc(node.Spec.Taints, taintOf(text).same) {
			lacking.Taints = append(lacking.Taints, text)
		}
	}
	return lacking
}

// Replace replaces a Node's previous settings with these, and reports whether that changed the
// Node. It does not change a label or taint that no longer has its previous value, because another
// program has set it.
func (s NodeSettings) Replace(previous NodeSettings, node *corev1.Node) (changed bool) {
	before := node.DeepCopy()
	for key, value := range previous.Labels {
		if node.Labels[key] == value {
			delete(node.Labels, key)
		}
	}
	for _, text := range previous.Taints {
		node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, taintOf(text).same)
	}
	for key, value := range s.Labels {
		if node.Labels == nil {
			node.Labels = map[string]string{}
		}
		node.Labels[key] = value
	}
	for _, text := range s.Taints {
		set := taintOf(text)
		node.Spec.Taints = append(slices.DeleteFunc(node.Spec.Taints, set.rivals),
			corev1.Taint(set))
	}
	return !maps.Equal(before.Labels, node.Labels) ||
		!sameTaints(before.Spec.Taints, node.Spec.Taints)
}

// sameTaints compares two lists of taints, whose order has no meaning.
func sameTaints(a, b []corev1.Taint) bool {
	missing := func(in []corev1.Taint) func(corev1.Taint) bool {
		return func(one corev1.Taint) bool { return !slices.ContainsFunc(in, taint(one).same) }
	}
	return len(a) == len(b) && !slices.ContainsFunc(a, missing(b)) &&
		!slices.ContainsFunc(b, missing(a))
}

// taint is one taint of a Node. A Node has one taint for each key and effect.
type taint corev1.Taint

// taintOf reads key=value:Effect, or key:Effect.
func taintOf(text string) taint {
	selector, effect, _ := strings.Cut(text, ":")
	key, value, _ := strings.Cut(selector, "=")
	return taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)}
}

func (t taint) rivals(other corev1.Taint) bool {
	return t.Key == other.Key &&
		t.Effect == other.Effect
}

func (t taint) same(other corev1.Taint) bool { return t.rivals(other) && t.Value == other.Value }

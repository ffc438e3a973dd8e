package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// kubeletLabels are the labels under kubernetes.io and k8s.io that a kubelet may set on its own
// Node. With any other such label it refuses to start
// (k8s.io/kubernetes/pkg/kubelet/apis/well_known_labels.go).
var kubeletLabels = []string{
	"kubernetes.io/hostname", "kubernetes.io/arch", "kubernetes.io/os",
	"node.kubernetes.io/instance-type",
	"topology.kubernetes.io/region", "topology.kubernetes.io/zone", "beta.kubernetes.io/arch",
	"beta.kubernetes.io/os",
	"beta.kubernetes.io/instance-type", "failure-domain.beta.kubernetes.io/region",
	"failure-domain.beta.kubernetes.io/zone",
}

// kubeletNamespaces are the label namespaces in which a kubelet may set any label.
var kubeletNamespaces = []string{"kubelet.kubernetes.io", "node.kubernetes.io"}

func checkLabels(ps *problems, key string, labels map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		at := fmt.Sprintf("%s[%q]", key, name)
		if messages := validation.IsQualifiedName(name); len(messages) > 0 {
			ps.add(at, "", "is not a label name", messages[0])
		} else if !kubeletMaySet(name) {
			ps.add(at, "", "is a label that a kubelet must not set: K3s would not start",
				"use a prefix of your own, or label the Node after it has registered")
		}
		if messages := validation.IsValidLabelValue(labels[name]); len(messages) > 0 {
			ps.add(at, labels[name], "is not a label value", messages[0])
		}
	}
}

func kubeletMaySet(label string) bool {
	namespace, _, qualified := strings.Cut(label, "/")
	if !qualified || !inNamespace(namespace, "kubernetes.io") && !inNamespace(namespace, "k8s.io") {
		return true
	}
	allowed := func(parent string) bool { return inNamespace(namespace, parent) }
	return slices.Contains(kubeletLabels, label) || slices.ContainsFunc(kubeletNamespaces, allowed)
}

func inNamespace(namespace, parent string) bool {
	return namespace == parent || strings.HasSuffix(namespace, "."+parent)
}

// taintEffects are the effects that Kubernetes knows.
var taintEffects = []string{"NoSchedule", "PreferNoSchedule", "NoExecute"}

func checkTaints(ps *problems, key string, taints []string) {
	for i, taint := range taints {
		at := fmt.Sprintf("%s[%d]", key, i)
		selector, effect, found := strings.Cut(taint, ":")
		name, value, _ := strings.Cut(selector, "=")
		switch {
		case !found || len(validation.IsQualifiedName(name)) > 0 ||
			len(validation.IsValidLabelValue(value)) > 0:
			ps.add(at, taint, "is not a taint",
				"write key=value:Effect, for example dedicated=db:NoSchedule")
		case !slices.Contains(taintEffects, effect):
			ps.add(at, taint, "has no known effect", suggestion(effect, taintEffects))
		}
	}
}

package charts_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// factsOf returns facts on which Strata may rely, one per line: that an object exists, the ports of
// a Service, the Pods of a workload, the requests of a webhook, and the served versions of a CRD.
func factsOf(objects []object) []string {
	var facts []string
	for _, one := range objects {
		facts = append(facts, one.facts()...)
	}
	slices.Sort(facts)
	return slices.Compact(facts)
}

func (o object) facts() []string {
	name := o.Kind + " " + o.Name
	facts := []string{name}
	add := func(format string, args ...any) {
		facts = append(facts,
			name+": "+fmt.Sprintf(format, args...))
	}
	switch o.Kind {
	case "Service":
		serviceFacts(as[corev1.Service](o), add)
	case "Deployment", "DaemonSet", "StatefulSet", "Job":
		podFacts(as[pods](o), add)
	case "ValidatingWebhookConfiguration":
		for _, webhook := range as[admissionv1.ValidatingWebhookConfiguration](o).Webhooks {
			webhookFacts(webhook.Name, webhook.ClientConfig, webhook.FailurePolicy,
				webhook.Rules, add)
		}
	case "MutatingWebhookConfiguration":
		for _, webhook := range as[admissionv1.MutatingWebhookConfiguration](o).Webhooks {
			webhookFacts(webhook.Name, webhook.ClientConfig, webhook.FailurePolicy,
				webhook.Rules, add)
		}
	case "CustomResourceDefinition":
		definition := as[apiextensionsv1.CustomResourceDefinition](o)
		add("kind %s, %s", definition.Spec.Names.Kind, definition.Spec.Scope)
		for _, version := range definition.Spec.Versions {
			if version.Served {
				add("serves %s", version.Name)
			}
		}
	}
	return facts
}

func serviceFacts(service corev1.Service, add func(string, ...any)) {
	add("type %s", or(string(service.Spec.Type), "ClusterIP"))
	add("selects %s", pairs(service.Spec.Selector))
	for _, port := range service.Spec.Ports {
		add("port %s %d to %s", port.Name, port.Port, port.TargetPort.String())
	}
}

func podFacts(workload pods, add func(string, ...any)) {
	add("selects %s", pairs(workload.Spec.Selector.MatchLabels))
	spec := workload.Spec.Template.Spec
	add("runs as %s", or(spec.ServiceAccountName, "default"))
	for _, one := range spec.InitContainers {
		add("init container %s", one.Name)
	}
	for _, one := range spec.Containers {
		add("container %s", one.Name)
		for _, port := range one.Ports {
			add("container %s, port %s %d", one.Name, port.Name, port.ContainerPort)
		}
	}
	for _, volume := range spec.Volumes {
		if volume.Secret != nil {
			add("mounts Secret %s", volume.Secret.SecretName)
		}
	}
}

func webhookFacts(
	name string, client admissionv1.WebhookClientConfig, policy *admissionv1.FailurePolicyType,
	rules []admissionv1.RuleWithOperations, add func(string, ...any),
) {
	failure := admissionv1.Fail // the API's default
	if policy != nil {
		failure = *policy
	}
	if to := client.Service; to != nil {
		path, port := "/", int32(443)
		if to.Path != nil {
			path = *to.Path
		}
		if to.Port != nil {
			port = *to.Port
		}
		add("webhook %s asks %s/%s:%d%s, or else %s", name, to.Namespace, to.Name, port, path,
			failure)
	}
	for _, rule := range rules {
		for _, resource := range rule.Resources {
			add("webhook %s is about %s/%s", name, strings.Join(rule.APIGroups, ","), resource)
		}
	}
}

// pairs returns labels as sorted key=value pairs.
func pairs(labels map[string]string) string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		all = append(all, key+"="+labels[key])
	}
	return strings.Join(all, ",")
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

package charts_test

import (
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health/webhook"
)

// webhook checks the facts on which a webhook's gate relies: its configurations, its Service and
// Pods, the requests that it receives, and its name in a refusal.
func (w *world) webhook(gate string, spec webhook.Spec) {
	w.workloads(gate, spec.Workloads)
	w.service("gate "+gate, spec.Namespace, spec.Service, false, spec.Port)
	if spec.CASecret != "" {
		w.secret("gate "+gate, spec.Namespace, spec.CASecret)
	}
	kind := "ValidatingWebhookConfiguration"
	if spec.Mutating {
		kind = "MutatingWebhookConfiguration"
	}
	asked := w.configuration(gate, kind, spec.Configuration, spec)
	w.need(slices.ContainsFunc(asked, func(name string) bool {
		return strings.Contains(name,
			spec.DenyMatch)
	}),
		"gate %s: no webhook that is asked about its request has %q in its name", gate,
		spec.DenyMatch)
	if spec.Mutates != "" {
		w.configuration(gate, "MutatingWebhookConfiguration", spec.Mutates, spec)
	}
}

// configuration checks a webhook configuration, and returns the names of its webhooks that receive
// the gate's request.
func (w *world) configuration(gate, kind, name string, spec webhook.Spec) []string {
	found, ok := find(w.charts, kind, "", name)
	if !ok {
		w.need(false, "gate %s: no chart makes %s %s", gate, kind, name)
		return nil
	}
	var asked []string
	// Mutating configurations have the same fields.
	for _, webhook := range as[admissionv1.ValidatingWebhookConfiguration](found).Webhooks {
		to, port := webhook.ClientConfig.Service, int32(443)
		if to != nil && to.Port != nil {
			port = *to.Port
		}
		w.need(to != nil && to.Namespace == spec.Namespace && to.Name == spec.Service &&
			int(port) == spec.Port,
			"gate %s: %s %s: webhook %s is not at %s/%s:%d", gate, kind, name, webhook.Name,
			spec.Namespace, spec.Service, spec.Port)
		if w.covers(webhook.Rules, spec.Accept) {
			asked = append(asked, webhook.Name)
		}
	}
	w.need(len(asked) > 0, "gate %s: %s %s is not asked about the gate's request", gate, kind, name)
	return asked
}

// covers reports whether rules match the creation of an object.
func (w *world) covers(rules []admissionv1.RuleWithOperations, accept map[string]any) bool {
	apiVersion, _ := accept["apiVersion"].(string)
	kind, _ := accept["kind"].(string)
	of := schema.FromAPIVersionAndKind(apiVersion, kind)
	definition, ok := w.served(of.Group, of.Version, of.Kind)
	has := func(list []string, all ...string) bool {
		return slices.ContainsFunc(list, func(one string) bool { return slices.Contains(all, one) })
	}
	return ok && slices.ContainsFunc(rules, func(rule admissionv1.RuleWithOperations) bool {
		operation := slices.ContainsFunc(rule.Operations, func(o admissionv1.OperationType) bool {
			return o == admissionv1.Create || o == admissionv1.OperationAll
		})
		return operation && has(rule.APIGroups, of.Group, "*") &&
			has(rule.APIVersions, of.Version, "*") &&
			has(rule.Resources, definition.Spec.Names.Plural, "*", "*/*")
	})
}

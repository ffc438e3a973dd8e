package webhook

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health/kube"
	"strata/health/observe"
)

func configurationResource(mutating bool) schema.GroupVersionResource {
	resource := schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1",
		Resource: "validatingwebhookconfigurations"}
	if mutating {
		resource.Resource = "mutatingwebhookconfigurations"
	}
	return resource
}

// observe reads every object that the webhook needs from one API server. It also returns the
// configurations' version. The independent reads run in parallel to save round trips.
func (w *webhookWatch) observe(ctx context.Context) (webhookFacts, string) {
	var version string
	facts := kube.ObserveOnce(ctx, w.cluster, w.stable,
		func(ctx context.Context, s *kube.APIServer) (facts webhookFacts, err error) {
			err = observe.InParallel(
				func() (err error) {
					version, err = w.observeConfigurations(ctx, s, &facts)
					return err
				},
				func() (err error) {
					facts.Endpoints, err = kube.ObserveEndpoints(ctx, s, w.spec.Namespace,
						w.spec.Service)
					return err
				},
				func() (err error) {
					facts.Hosts.Address, err = observeAddress(ctx, s, w.spec)
					return err
				},
				func() (err error) {
					if facts.Workloads, err = kube.ObserveWorkloads(ctx, s, w.workloads, w.images,
						w.stable); err != nil {
						return err
					}
					facts.Rights, err = w.rights.Observe(ctx, s)
					return err
				},
			)
			return facts, err
		})
	return facts, version
}

// observeConfigurations reads both configurations. It also returns a text that changes when one of
// them does.
func (w *webhookWatch) observeConfigurations(
	ctx context.Context, s *kube.APIServer, facts *webhookFacts,
) (string, error) {
	configuration, version, err := w.observeConfiguration(ctx, s, w.spec)
	if err != nil {
		return "", err
	}
	facts.Configuration = configuration
	if w.spec.Mutates == "" {
		return version, nil
	}
	mutation, another, err := w.observeConfiguration(ctx, s, mutationOf(w.spec))
	facts.Mutation = &mutation
	return version + "/" + another, err
}

// observeConfiguration reads the configuration and the CA that it must have. Both kinds of
// configuration have the fields that a gate reads.
func (w *webhookWatch) observeConfiguration(
	ctx context.Context, s *kube.APIServer, spec Spec,
) (configurationFacts, string, error) {
	object, err := kube.Get[admissionv1.ValidatingWebhookConfiguration](ctx, s,
		configurationResource(spec.Mutating), "", spec.Configuration)
	if err != nil || object == nil {
		return configurationFacts{Missing: object == nil}, "", err
	}
	facts := configurationFacts{}
	var ca []byte
	if w.spec.CASecret != "" {
		secret, err := kube.Get[corev1.Secret](ctx, s, kube.SecretResource, w.spec.Namespace,
			w.spec.CASecret)
		if err != nil {
			return facts, "", err
		}
		if secret != nil {
			ca = secret.Data["ca.crt"]
		}
		facts.NoCA = len(ca) == 0
	}
	group, version := splitVersion(w.spec.Accept)
	for i := range object.Webhooks {
		hook := &object.Webhooks[i]
		facts.Hooks = append(facts.Hooks, hookFacts{
			Name: hook.Name, Bundle: bundleState(hook.ClientConfig.CABundle, ca),
			Target: hookTarget(hook.ClientConfig),
			Covers: slices.ContainsFunc(hook.Rules,
				func(r admissionv1.RuleWithOperations) bool {
					return coversCreate(r, group, version,
						w.plural())
				}),
			Ignore: hook.FailurePolicy != nil && *hook.FailurePolicy == admissionv1.Ignore,
		})
	}
	return facts, object.ResourceVersion, nil
}

// observeAddress reads the address at which the API servers call the webhook; empty if there is
// none yet.
func observeAddress(ctx context.Context, s *kube.APIServer, spec Spec) (string, error) {
	service, err := kube.Get[corev1.Service](ctx, s, kube.ServiceResource, spec.Namespace,
		spec.Service)
	if err != nil || service == nil || net.ParseIP(service.Spec.ClusterIP) == nil {
		return "", err
	}
	return net.JoinHostPort(service.Spec.ClusterIP, strconv.Itoa(spec.Port)), nil
}

// plural returns the resource of Accept's kind, empty while no API server serves it.
func (w *webhookWatch) plural() string {
	for _, p := range w.probes {
		if name := p.plural(); name != "" {
			return name
		}
	}
	return ""
}

func splitVersion(object map[string]any) (group, version string) {
	text := fmt.Sprint(object["apiVersion"])
	if before, after, found := strings.Cut(text, "/"); found {
		return before, after
	}
	return "", text
}

// coversCreate reports whether a rule makes the API server call the webhook when an object of the
// resource is created. If the resource is not known yet, any resource matches.
func coversCreate(rule admissionv1.RuleWithOperations, group, version, resource string) bool {
	matches := func(list []string, want string) bool {
		return slices.Contains(list, "*") || slices.Contains(list, want)
	}
	creates := slices.Contains(rule.Operations, admissionv1.OperationAll) ||
		slices.Contains(rule.Operations, admissionv1.Create)
	return creates && matches(rule.APIGroups, group) && matches(rule.APIVersions, version) &&
		(resource == "" || matches(rule.Resources, resource) ||
			slices.Contains(rule.Resources, "*/*"))
}

func bundleState(bundle, ca []byte) string {
	bundle, ca = bytes.TrimSpace(bundle), bytes.TrimSpace(ca)
	switch {
	case len(bundle) == 0:
		return "empty"
	case len(ca) == 0:
		return "set"
	case bytes.Equal(bundle, ca):
		return "equal"
	default:
		return "different"
	}
}

func hookTarget(client admissionv1.WebhookClientConfig) string {
	if client.Service == nil {
		return ""
	}
	port := int32(443)
	if client.Service.Port != nil {
		port = *client.Service.Port
	}
	return fmt.Sprintf("%s/%s:%d", client.Service.Namespace, client.Service.Name, port)
}

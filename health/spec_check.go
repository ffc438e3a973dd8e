package health

import (
	"fmt"
	"net"
	"slices"
	"strings"
)

// needs notes a problem unless ok.
type needs func(ok bool, format string, args ...any)

// lacksPart reports whether the part of the Spec is missing that its kind has.
func (s Spec) lacksPart() bool {
	parts := map[Kind]bool{
		KindHost: s.Host != nil, KindSystem: s.System != nil, KindWebhook: s.Webhook != nil, KindPool: s.Pool != nil,
		KindCRDs: s.CRDs != nil, KindIssuer: s.Issuer != nil, KindCertificate: s.Certificate != nil,
		KindAddress: s.Address != nil, KindGateway: s.Gateway != nil,
		KindHTTP: s.HTTP != nil, KindApplications: s.Applications != nil, KindRollout: s.Rollout != nil,
		KindVault: s.Vault != nil, KindClaim: s.Claim != nil, KindVM: s.VM != nil, KindMetrics: s.Metrics != nil, KindUpstreams: s.Upstreams != nil,
		KindNamespace: s.Namespace != nil,
	}
	present, wanted := parts[s.Kind]
	return wanted && !present
}

func (s Spec) validateReleases(need needs) {
	for i, release := range s.Releases {
		need(s.Kind == KindRollout || s.Kind == KindWebhook, "releases: a gate of kind %s asks for no rights", s.Kind)
		needName(need, fmt.Sprintf("releases[%d]", i), release)
	}
}

// validatePart checks the part of the Spec's kind.
func (s Spec) validatePart(need needs) {
	s.validateReleases(need)
	if s.lacksPart() {
		need(false, "%s: missing", s.Kind)
		return
	}
	if part := s.part(); part != nil {
		part.validate(need)
	}
	switch s.Kind {
	case KindClaim:
		need(s.Claim.Namespace != "" && s.Claim.Name != "" && s.Claim.ClassKey != "", "claim: namespace, name or classKey is empty")
	case KindVault:
		need(s.Vault.Namespace != "" && s.Vault.Pod != "" && s.Vault.Port > 0, "vault: namespace, pod or port is empty")
	case KindNamespace:
		need(s.Namespace.Name != "", "namespace.name: empty")
	default: // The kind's constructor says what its part lacks.
	}
}

// part returns the Spec's part for its kind, if that has rules of its own.
func (s Spec) part() interface{ validate(need needs) } {
	return map[Kind]interface{ validate(need needs) }{
		KindWebhook: s.Webhook, KindRollout: s.Rollout, KindCRDs: s.CRDs, KindIssuer: s.Issuer, KindCertificate: s.Certificate, KindAddress: s.Address,
		KindGateway: s.Gateway, KindHTTP: s.HTTP, KindMetrics: s.Metrics, KindUpstreams: s.Upstreams, KindApplications: s.Applications,
	}[s.Kind]
}

func (s WebhookSpec) validate(need needs) {
	for i, entry := range s.AcceptFills {
		path, _, _ := strings.Cut(entry, "=")
		need(path != "" && !slices.Contains(strings.Split(path, "."), ""), "webhook.acceptFills[%d]: expected a dotted path such as spec.uid, found %q", i, path)
	}
}

func (s RolloutSpec) validate(need needs) {
	need(len(s.Workloads) > 0, "rollout.workloads: empty; nothing is not a rollout")
	redis := s.Redis
	need(redis == nil || redis.Namespace != "" && redis.Secret != "" && redis.Clients != "" && redis.Container != "",
		"rollout.redis: namespace, secret, clients or container is empty")
}

func (s IssuerSpec) validate(need needs) {
	need(s.Name != "", "issuer.name: empty")
	if s.CA != nil {
		need(s.CA.Secret != "", "issuer.ca.secret: empty")
		needName(need, "issuer.ca.secret", s.CA.Secret)
	}
}

func (s CertificateSpec) validate(need needs) {
	need(s.Namespace != "" && s.Name != "" && s.Secret != "", "certificate: namespace, name or secret is empty")
	need(s.MinRemaining.Duration >= 0, "certificate.minRemaining: expected a duration that is not negative, found %s", s.MinRemaining.Duration)
	need(!slices.Contains(s.DNSNames, ""), "certificate.dnsNames: one is empty")
	needName(need, "certificate.caSecret", s.CASecret)
}

// needName needs a name with its namespace, or none.
func needName(need needs, key, text string) {
	namespace, name, found := strings.Cut(text, "/")
	need(text == "" || found && namespace != "" && name != "", "%s: expected namespace/name, found %q", key, text)
}

func (s AddressSpec) validate(need needs) {
	need(s.Namespace != "" && s.Service != "", "address: namespace or service is empty")
	need(len(s.Ports) > 0, "address.ports: empty; an address is not proved before something answers there")
	for i, port := range s.Ports {
		need(port > 0 && port < 1<<16, "address.ports[%d]: expected 1 to 65535, found %d", i, port)
	}
	need(s.Want == "" || net.ParseIP(s.Want) != nil, "address.want: expected an IP address, found %q", s.Want)
}

func (s GatewaySpec) validate(need needs) {
	need(s.Class != "" && s.Namespace != "" && s.Name != "", "gateway: class, namespace or name is empty")
	need(len(s.Listeners) > 0 && !slices.Contains(s.Listeners, ""), "gateway.listeners: expected names; a Gateway is Programmed with one good listener of many")
	for name := range s.Routes {
		need(slices.Contains(s.Listeners, name), "gateway.routes: %q is none of gateway.listeners", name)
	}
}

func (s ApplicationsSpec) validate(need needs) {
	need(s.Namespace != "", "applications.namespace: empty")
	need(len(s.Names) > 0 && !slices.Contains(s.Names, ""), "applications.names: expected names; a gate of nothing is always open")
}

func (s MetricsSpec) validate(need needs) {
	need(s.Namespace != "" && s.Service != "" && s.Port > 0, "metrics: namespace, service or port is empty")
	need(strings.HasPrefix(s.Path, "/"), "metrics.path: expected a path from the root, found %q", s.Path)
	need(len(s.Series) > 0 && !slices.Contains(s.Series, ""), "metrics.series: expected names; a gate of nothing is always open")
}

func (s UpstreamsSpec) validate(need needs) {
	need(s.Namespace != "" && s.Selector != "" && s.Port > 0, "upstreams: namespace, selector or port is empty")
	need(strings.Count(s.Controller, "/") == 2, "upstreams.controller: expected namespace/kind/name, found %q", s.Controller)
	need(s.Resync.Duration > 0, "upstreams.resync: expected a positive duration, found %s", s.Resync.Duration)
	need(len(s.Routes) > 0, "upstreams.routes: empty; a gate of nothing is always open")
	for i, route := range s.Routes {
		need(slices.Contains(RouteKinds, route.Kind), "upstreams.routes[%d].kind: expected HTTPRoute, ApisixRoute or Ingress, found %q", i, route.Kind)
		need(route.Namespace != "" && route.Name != "", "upstreams.routes[%d]: namespace or name is empty", i)
	}
}

func (s CRDsSpec) validate(need needs) {
	need(len(s.Names) > 0, "crds.names: empty; a gate of nothing is always open")
	for i, name := range s.Names {
		plural, group, _ := strings.Cut(name, ".")
		need(plural != "" && group != "", "crds.names[%d]: expected plural.group, for example gateways.gateway.networking.k8s.io, found %q", i, name)
		need(!slices.Contains(s.Names[:i], name), "crds.names[%d]: %s is there twice", i, name)
	}
}

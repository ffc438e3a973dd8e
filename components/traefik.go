package components

import (
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/cluster/kuberead"
	"strata/artifacts"
	"strata/config"
	"strata/health"
	"strata/health/address"
	"strata/health/gateway"
)

// TraefikArgs configures Traefik.
type TraefikArgs struct {
	// Config is the section strata:traefik, validated.
	Config config.Traefik
	// Domain is the platform's DNS domain (strata:ingress.domain).
	Domain string
	// Names are those of the domain's certificate. Required.
	Names []string
	// Challenges says that the certificate is had by an answer on port 80 (ACME's HTTP-01): so the
	// certificate waits for the address.
	Challenges bool
	// Cluster takes Traefik. Required.
	Cluster *Cluster
	// CA signs the domain's certificate. Required.
	CA *CA
	// Artifacts has the chart.
	Artifacts *artifacts.Set
	// Timeouts bound the gates.
	Timeouts config.Timeouts
	// After are the gates that the release waits for: a working address pool, and served CRDs.
	After []pulumi.Resource
}

// Traefik owns the ingress controller: its namespace and release, the domain's certificate, the
// Gateway and the dashboard.
type Traefik struct {
	pulumi.ResourceState
	// Address holds once the load balancer's address answers from outside and from every server.
	Address *Gate
	// IP is the load balancer's address.
	IP pulumi.StringOutput
	// Values are the user's, for gates that ask URLs behind Traefik.
	Values Valued
	// Programmed holds once the Gateway serves each of its listeners.
	Programmed *Gate
	// Dashboard holds once the dashboard refuses strangers and lets its user in; nil where it is
	// off.
	Dashboard *Gate
	// DashboardURL and DashboardPassword (secret, of user admin) lead there.
	DashboardURL      string
	DashboardPassword pulumi.StringOutput
}

const (
	traefikName = "traefik" // of the release, its namespace, its classes and its Gateway
	// traefikTLS is the Secret with the domain's certificate.
	traefikTLS = "traefik-tls"
)

// traefik holds the state that the constructor's steps share.
type traefik struct {
	*Traefik
	ctx       *pulumi.Context
	name      string
	args      *TraefikArgs
	namespace *Object
	release   *Object
	tls       *Certificate
}

// NewTraefik registers Traefik. The release waits for a working address pool and not for MetalLB's
// chart: a Service without a pool stays pending and nothing says why (the first platform's lesson).
// It also waits for the CRDs, since a Traefik that does not find them serves nothing of them, and
// stays Ready all the while.
func NewTraefik(ctx *pulumi.Context, name string, args *TraefikArgs, opts ...pulumi.ResourceOption) (*Traefik, error) {
	t := &traefik{Traefik: &Traefik{}, ctx: ctx, name: name, args: args}
	if err := ctx.RegisterComponentResource("strata:traefik:Traefik", name, t.Traefik, opts...); err != nil {
		return nil, err
	}
	steps := []func() error{t.install, t.certificate, t.gateway}
	if *args.Config.Dashboard {
		steps = append(steps, t.dashboard)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, fmt.Errorf("traefik: %w", err)
		}
	}
	return t.Traefik, ctx.RegisterResourceOutputs(t.Traefik, pulumi.Map{})
}

// install registers the namespace, the release and the gate of its address.
func (t *traefik) install() error {
	chart, err := t.args.Artifacts.One(config.ArtifactTraefikChart)
	if err != nil {
		return err
	}
	if t.namespace, err = newLayerNamespace(t.ctx, t.args.Cluster, t.name, traefikName, t.args.Config.Values, nil,
		childOf(t, t.args.Cluster.Provider)...); err != nil {
		return fmt.Errorf("namespace: %w", err)
	}
	needs := childOf(t, with(t.args.After, t.namespace)...)
	own, err := newOwnValues(t.ctx, t.name, t.args.Config.Values, needs...)
	if err != nil {
		return err
	}
	t.release, err = newRelease(t.ctx, t.args.Cluster, t.name+"-release", releaseArgs{
		name: traefikName, namespace: traefikName, chart: chart.Path, values: traefikValues(t.args.Config, t.args.Challenges), own: own.Values,
		// They are another layer's, and nothing uses those of the commercial edition: Helm would
		// leave them behind for ever.
		skipCRDs: true,
	}, needs...)
	if err != nil {
		return fmt.Errorf("release: %w", err)
	}
	rolled, err := t.args.Cluster.rollout(t.ctx, t.name+"-rollout", health.Spec{
		Layer: "traefik", Timeout: t.args.Timeouts.Ingress, TimeoutKey: "strata:timeouts.ingress",
		Releases: []string{traefikName + "/" + traefikName},
	}, own.revision(t.revision(chart.SHA256)), []string{traefikName + "/Deployment/" + traefikName}, childOf(t, t.release)...)
	if err != nil {
		return fmt.Errorf("gate rollout: %w", err)
	}
	t.Values = own.valued(rolled)
	return t.address(chart.SHA256, own)
}

// address registers the gate of the load balancer's address, and reads which that is.
func (t *traefik) address(chartSum string, own ownValues) (err error) {
	want := ""
	if t.args.Config.Address.IsValid() {
		want = t.args.Config.Address.String()
	}
	t.Address, err = t.gate("address", GateArgs{Spec: health.Spec{
		Body: address.Spec{Namespace: traefikName, Service: traefikName, Ports: []int{80, 443}, Want: want},
	}, Revision: own.revision(addressRevision(chartSum, t.args.Config.ExternalTrafficPolicy))}, t.release)
	if err != nil {
		return err
	}
	t.IP, err = t.args.Cluster.read(t.ctx, t.name+"-ip", kuberead.FieldInput{
		Resource: "services", Namespace: traefikName, Name: traefikName, Path: "{.status.loadBalancer.ingress[0].ip}",
		Revision: strings.Join([]string{chartSum, want}, " "), Timeout: t.args.Timeouts.Ingress,
	}, childOf(t, t.Address)...)
	return err
}

// revision is of all that the release's Pods are made of.
func (t *traefik) revision(chartSum string) string {
	if t.args.Challenges {
		return digestOf(chartSum, t.args.Config, "challenges")
	}
	return digestOf(chartSum, t.args.Config)
}

// certificate registers the domain's certificate, which every host name below the domain gets by
// default.
func (t *traefik) certificate() error {
	var err error
	after := []pulumi.Resource{t.args.CA.Ready, t.namespace}
	if t.args.Challenges {
		after = append(after, t.Address)
	}
	t.tls, err = NewCertificate(t.ctx, t.name+"-tls", &CertificateArgs{
		Namespace: traefikName, Secret: traefikTLS, DNSNames: t.args.Names,
		Signer: t.args.CA.Signer, Cluster: t.args.Cluster, Timeouts: t.args.Timeouts, Layer: "traefik",
		After: after,
	}, pulumi.Parent(t))
	if err != nil {
		return err
	}
	_, err = t.object("tls-store", "TLSStore", "default", pulumi.Map{
		"defaultCertificate": pulumi.Map{"secretName": pulumi.String(traefikTLS)},
	}, with(t.args.After, t.tls.Ready)...)
	return err
}

// gateway registers the Gateway and its gate. The Deployment says nothing about it: readiness is
// /ping.
func (t *traefik) gateway() error {
	registered, err := newCustomResource(t.ctx, t.args.Cluster, t.name+"-gateway", customResource{
		apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", name: traefikName, namespace: traefikName,
		wait: gatewayWait(t.args.Timeouts.Ingress.Duration), spec: traefikGateway(t.args.Domain),
	}, childOf(t, t.release, t.tls.Ready)...)
	if err != nil {
		return fmt.Errorf("gateway: %w", err)
	}
	t.Programmed, err = t.gate("programmed", GateArgs{Spec: health.Spec{
		Body: gateway.Spec{Class: traefikName, Namespace: traefikName, Name: traefikName, Listeners: []string{"http", "https"}},
	}, Revision: t.Values.after(nil)}, with(t.Values.Rolled, registered)...)
	return err
}

// object registers one of Traefik's own kinds in its namespace.
func (t *traefik) object(role, kind, name string, spec pulumi.Map, needs ...pulumi.Resource) (pulumi.Resource, error) {
	made, err := newCustomResource(t.ctx, t.args.Cluster, t.name+"-"+role, customResource{
		apiVersion: "traefik.io/v1alpha1", kind: kind, name: name, namespace: traefikName, spec: spec,
	}, childOf(t, needs...)...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", role, err)
	}
	return made, nil
}

// gate registers one of Traefik's gates.
func (t *traefik) gate(role string, args GateArgs, needs ...pulumi.Resource) (*Gate, error) {
	args.Spec.Layer, args.Spec.Timeout, args.Spec.TimeoutKey = "traefik", t.args.Timeouts.Ingress, "strata:timeouts.ingress"
	made, err := t.args.Cluster.gate(t.ctx, t.name+"-"+role, args, childOf(t, needs...)...)
	if err != nil {
		return nil, fmt.Errorf("gate %s: %w", role, err)
	}
	return made, nil
}

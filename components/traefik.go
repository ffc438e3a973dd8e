package components

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/cluster/kuberead"
	"strata/config"
	"strata/health"
	"strata/health/address"
	"strata/health/gateway"
)

// TraefikArgs configures Traefik.
type TraefikArgs struct {
	// Layer.After has the gates of the address pool and of the CRDs. The release waits for them,
	// but the namespace does not.
	Layer
	// Config is the section strata:traefik, validated.
	Config config.Traefik
	// Values are the chart's values, if another resource computes them. Config.Values must then be
	// empty. Optional.
	Values pulumi.MapInput
	// Domain is the platform's DNS domain (strata:ingress.domain).
	Domain string
	// Names are the DNS names of the domain's certificate. Required.
	Names []string
	// Challenges is true if the CA validates the certificate's names by requests to port 80 (ACME's
	// HTTP-01). Then the certificate waits for the address gate.
	Challenges bool
	// CA signs the domain's certificate. Required.
	CA *CA
}

// Traefik owns the ingress controller: its namespace and release, the domain's certificate, the
// Gateway and the dashboard.
type Traefik struct {
	pulumi.ResourceState
	// Address passes once the load balancer's address answers from this machine and from every
	// server.
	Address *Gate
	// IP is the load balancer's address.
	IP pulumi.StringOutput `pulumi:"ip"`
	// Values make gates that request routes of Traefik run again when the user's values of its
	// chart change.
	Values Valued
	// Programmed passes once the Gateway serves each of its listeners.
	Programmed *Gate
	// Dashboard passes once the dashboard rejects requests without a login and accepts those with
	// the user's login. Nil if the dashboard is disabled.
	Dashboard *Gate
	// DashboardURL is the dashboard's URL. DashboardPassword is the password of its user admin, a
	// secret.
	DashboardURL      string              `pulumi:"dashboardUrl"`
	DashboardPassword pulumi.StringOutput `pulumi:"dashboardPassword"`
}

const (
	traefikName = "traefik" // name of the release, the namespace, the classes and the Gateway
	// traefikTLS is the Secret with the domain's certificate.
	traefikTLS = "traefik-tls"
)

// traefik holds the values that the steps of NewTraefik share.
type traefik struct {
	*Traefik
	layer
	args    *TraefikArgs
	release release
	tls     *Certificate
}

// NewTraefik registers Traefik. The release waits for the gate of the address pool, because without
// a pool the Service stays pending and gives no reason. It also waits for the CRDs: a Traefik that
// starts without them serves none of their objects, although it is Ready.
func NewTraefik(
	ctx *pulumi.Context, name string, args *TraefikArgs, opts ...pulumi.ResourceOption,
) (*Traefik, error) {
	t := &traefik{Traefik: &Traefik{}, args: args}
	t.layer = layer{
		Layer: args.Layer, ctx: ctx, parent: t.Traefik, name: name, title: "traefik",
		space: traefikName,
		policy: layerPolicy{
			pods: instanceLabel(traefikName + "-" + traefikName),
			open: []int{8000, 8443, 9100}, udp: true,
		},
		limit: args.Timeouts.Ingress, limitKey: "strata:timeouts.ingress",
	}
	steps := []func() error{t.install, t.certificate, t.gateway}
	if *args.Config.Dashboard {
		steps = append(steps, t.dashboard)
	}
	return t.Traefik, t.register(tokenOf("traefik", "Traefik"), opts, steps...)
}

// install registers the namespace, the release, and the gates of its rollout and its address.
func (t *traefik) install() error {
	if err := t.newNamespace(t.chartValues(), nil, t.Cluster.Provider); err != nil {
		return err
	}
	var err error
	t.release, err = t.newRelease(releaseArgs{
		name: traefikName, artifact: config.ArtifactTraefikChart,
		values: traefikValues(t.args.Config, t.args.Challenges), own: t.chartValues(),
		// The layer CRDs owns the used CRDs. Helm would also install the CRDs of the commercial
		// edition, and never delete them.
		skipCRDs: true,
	}, with(t.After, t.namespace)...)
	if err != nil {
		return err
	}
	podsOf := []any{t.args.Config}
	if t.args.Challenges {
		podsOf = append(podsOf, "challenges")
	}
	rolled, err := t.rollout(t.release, t.release.revision(podsOf...),
		traefikName+"/Deployment/"+traefikName)
	if err != nil {
		return err
	}
	t.Values = t.release.own.gateValues(rolled)
	return t.address()
}

func (t *traefik) chartValues() userValues {
	return t.userValues(config.ArtifactTraefikChart, t.args.Config.Values, t.args.Values)
}

// address registers the gate of the load balancer's address, and sets IP from the Service's status.
func (t *traefik) address() (err error) {
	want := ""
	if t.args.Config.Address.IsValid() {
		want = t.args.Config.Address.String()
	}
	t.Address, err = t.gate("address", gateArgs{Spec: health.Spec{
		Body: address.Spec{Namespace: traefikName, Service: traefikName, Ports: []int{80, 443},
			Want: want},
	}, Revision: t.release.revision(t.args.Config.ExternalTrafficPolicy)}, t.release.object)
	if err != nil {
		return err
	}
	t.IP, err = t.Cluster.read(t.ctx, t.name+"-ip", kuberead.FieldInput{
		Resource: "services", Namespace: traefikName, Name: traefikName,
		Path:     "{.status.loadBalancer.ingress[0].ip}",
		Revision: strings.Join([]string{t.release.chart.SHA256, want}, " "),
		Timeout:  t.Timeouts.Ingress,
	}, childOf(t, t.Address)...)
	return err
}

// certificate registers the domain's certificate, and the TLSStore that makes it Traefik's default
// certificate.
func (t *traefik) certificate() error {
	var err error
	after := []pulumi.Resource{t.args.CA.Ready, t.namespace}
	if t.args.Challenges {
		after = append(after, t.Address)
	}
	t.tls, err = NewCertificate(t.ctx, t.name+"-tls", &CertificateArgs{
		Namespace: traefikName, Secret: traefikTLS, DNSNames: t.args.Names,
		Signer: t.args.CA.Signer, Cluster: t.args.Cluster, Timeouts: t.args.Timeouts,
		Layer: "traefik",
		After: after,
	}, pulumi.Parent(t))
	if err != nil {
		return err
	}
	_, err = t.content("tls-store", "TLSStore", "default", object{
		"defaultCertificate": object{"secretName": traefikTLS},
	}, with(t.args.After, t.tls.Ready)...)
	return err
}

// gateway registers the Gateway and its gate, which is needed because Traefik's readiness probe,
// /ping, does not depend on the Gateway.
func (t *traefik) gateway() error {
	registered, err := t.object("gateway", customResource{
		apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", name: traefikName,
		namespace: traefikName,
		wait:      gatewayWait(t.args.Timeouts.Ingress.Duration),
		// The listeners do not have the Service's ports 80 and 443: Traefik maps a listener to the
		// entry point with the same container port (traefik
		// pkg/provider/kubernetes/gateway: entryPointName).
		spec: gatewaySpec(traefikName, t.args.Domain, traefikTLS, 8000, 8443),
	}, t.release.object, t.tls.Ready)
	if err != nil {
		return err
	}
	t.Programmed, err = t.gate("programmed", gateArgs{Spec: health.Spec{
		Body: gateway.Spec{Class: traefikName, Namespace: traefikName, Name: traefikName,
			Listeners: []string{"http", "https"}},
	}, Revision: t.Values.joinRevision(nil)}, with(t.Values.Rolled, registered)...)
	return err
}

// content registers a custom resource of Traefik in its namespace.
func (t *traefik) content(
	role, kind, name string, spec object, needs ...pulumi.Resource,
) (pulumi.Resource, error) {
	return t.object(role, customResource{
		apiVersion: "traefik.io/v1alpha1", kind: kind, name: name, namespace: traefikName,
		spec: spec,
	}, needs...)
}

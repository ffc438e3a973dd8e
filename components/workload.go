package components

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
	"strata/health"
	"strata/health/rollout"
)

// WorkloadArgs configures Workload.
type WorkloadArgs struct {
	// Config is the entry of strata:apps.workloads, validated and with defaults.
	Config config.Workload
	// Namespace is the resource of the workload's namespace. Required.
	Namespace pulumi.Resource
	// Cluster is the cluster that runs the workload. Required.
	Cluster *Cluster
	// Kubernetes is the cluster's version, for example v1.34.2+k3s1. Before 1.30, the preStop hook
	// runs the sleep command of the Pod's image. An unknown version counts as a newer one.
	Kubernetes string
	// CertWaitImage is the image of the init container CertWait. Required with a certificate.
	CertWaitImage string
	// Signer signs the workload's certificate, which waits for the gates in Signing. Required with
	// a certificate.
	Signer  Signer
	Signing []pulumi.Resource
	// Wave is the gate of Wave's webhook. Required if Config.Wave is set.
	Wave *Gate
	// Ingress are the ingress controllers by name. Required with routes.
	Ingress map[string]WorkloadIngress
	// Full is true if the gates on which no resource depends are registered as well
	// (strata:apps.validate).
	Full bool
	// Timeouts bound the gates.
	Timeouts config.Timeouts
}

// Workload owns one application that loses no requests during updates and drains: its
// configuration, certificate, Deployment, Service, PodDisruptionBudget and routes.
type Workload struct {
	pulumi.ResourceState
	// Deployment is the workload's Deployment.
	Deployment pulumi.Resource
	// Rollout passes once all Pods have the newest revision and are ready. Nil unless Full is set,
	// or Config.ImmutableConfig is set and there are ConfigMaps or Secrets.
	Rollout *Gate
	// URLs are the URLs of the workload's routes, in the order of the configuration. Address is the
	// load balancer's address for the first route; nil if it is unknown.
	URLs    []string           `pulumi:"urls"`
	Address pulumi.StringInput `pulumi:"address"`
	// Hash is a keyed hash of the contents of the workload's ConfigMaps and Secrets. It is not set
	// if the workload has neither.
	Hash pulumi.StringOutput
}

// workloadBuild holds the values that the steps of NewWorkload share.
type workloadBuild struct {
	*Workload
	ctx  *pulumi.Context
	name string
	args *WorkloadArgs
	// config has the ConfigMaps and Secrets that the workload's Pods read. tls is the gate of the
	// workload's certificate; nil without a certificate.
	config contents
	tls    *Gate
	// service is the Service to which the routes send requests. routed has the registered routes by
	// ingress controller.
	service pulumi.Resource
	routed  map[string][]pulumi.Resource
	// passed is the command that tests the canary; nil without a canary.
	passed pulumi.Resource
}

// NewWorkload registers a workload. The Deployment waits for the objects that its Pods read and for
// the certificate's gate. In addition, each Pod waits for the certificate in an init container
// (CertWait), because the Secret may be missing when another program creates Pods.
func NewWorkload(
	ctx *pulumi.Context, name string, args *WorkloadArgs, opts ...pulumi.ResourceOption,
) (*Workload, error) {
	w := &workloadBuild{Workload: &Workload{}, ctx: ctx, name: name, args: args}
	if err := ctx.RegisterComponentResource(tokenOf("apps", "Workload"), name, w.Workload, opts...); err != nil {
		return nil, err
	}
	for _, step := range []func() error{w.contents, w.certificate, w.serve, w.routes, w.canary, w.deploy, w.budget, w.gate, w.reach} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("workload %s: %w", args.Config.Name, err)
		}
	}
	return w.Workload, registerOutputs(ctx, w.Workload)
}

// object registers an object of the workload. The object waits for the namespace and for needs.
func (w *workloadBuild) object(role, token string, fields object, needs ...pulumi.Resource) (*Object, error) {
	made, err := newObject(w.ctx, w.args.Cluster, token, w.name+"-"+role, fields,
		childOf(w, append(needs, w.args.Namespace)...)...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", role, err)
	}
	return made, nil
}

// metadata returns the metadata of an object in the workload's namespace. annotations may be nil.
func (w *workloadBuild) metadata(name any, annotations object) object {
	metadata := object{
		"name": name, "namespace": w.args.Config.Namespace, "labels": nameLabel(w.args.Config.Name),
	}
	if annotations != nil {
		metadata["annotations"] = annotations
	}
	return metadata
}

// certificate registers the certificate that Pods mount, and its gate. It does nothing if no
// certificate is configured.
func (w *workloadBuild) certificate() error {
	c := w.args.Config.Certificate
	if c == nil {
		return nil
	}
	lifetime := ""
	if c.Lifetime.Duration > 0 {
		lifetime = c.Lifetime.Duration.String()
	}
	made, err := NewCertificate(w.ctx, w.name+"-tls", &CertificateArgs{
		Namespace: w.args.Config.Namespace, Secret: workloadTLS(w.args.Config.Name),
		DNSNames: c.DNSNames, Signer: w.args.Signer,
		Lifetime: lifetime, Cluster: w.args.Cluster, Timeouts: w.args.Timeouts, Layer: "apps",
		After: with(w.args.Signing, w.args.Namespace),
	}, pulumi.Parent(w))
	if err != nil {
		return err
	}
	w.tls = made.Ready
	return nil
}

// deploy registers the workload's Deployment, which waits for the canary's test.
func (w *workloadBuild) deploy() error {
	needs := w.reads()
	if w.passed != nil {
		needs = append(needs, w.passed)
	}
	var err error
	w.Deployment, err = w.deployment("deployment", w.args.Config.Name, w.args.Config.Replicas, needs...)
	return err
}

// reads returns the resources that a Deployment of the workload's Pods waits for: their ConfigMaps,
// Secrets and certificate, and Wave's webhook.
func (w *workloadBuild) reads() []pulumi.Resource {
	needs := slices.Clone(w.config.objects)
	if w.tls != nil {
		needs = append(needs, w.tls)
	}
	if w.args.Config.Wave {
		needs = append(needs, w.args.Wave)
	}
	return needs
}

// deployment registers the workload's Deployment or the canary's.
func (w *workloadBuild) deployment(role, name string, replicas int, needs ...pulumi.Resource) (*Object, error) {
	annotations := maps.Clone(skipAwait) // its gate waits, and reports the reason of a failure
	if w.args.Config.Wave {
		annotations[waveAnnotation] = "true"
	}
	return w.object(role, "kubernetes:apps/v1:Deployment", object{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": w.metadata(name, annotations),
		"spec":     workloadDeployment(w.args, w.config, name, replicas),
	}, needs...)
}

// serve registers the workload's Service and, with a canary, the canary's.
func (w *workloadBuild) serve() error {
	var err error
	if w.service, err = w.serviceOf("service", w.args.Config.Name); err != nil || w.args.Config.Canary == nil {
		return err
	}
	_, err = w.serviceOf("canary-service", canaryName(w.args.Config.Name))
	return err
}

// serviceOf registers a Service for the Pods of the Deployment called name.
func (w *workloadBuild) serviceOf(role, name string) (*Object, error) {
	return w.object(role, "kubernetes:core/v1:Service", object{
		"apiVersion": "v1", "kind": "Service", "metadata": w.metadata(name, skipAwait),
		"spec": object{
			"selector": nameLabel(name),
			"ports":    array{object{"name": "http", "port": 80, "targetPort": "http"}},
		},
	})
}

// gate registers the gate of the rollout. With immutable ConfigMaps or Secrets it registers the
// gate even without Full: otherwise Pulumi would delete the previous ConfigMaps and Secrets while
// Pods of the previous revision still mount them.
func (w *workloadBuild) gate() error {
	if !w.args.Full && len(w.config.names) == 0 {
		return nil
	}
	var err error
	w.Rollout, err = w.rollout("rollout", w.args.Config.Name, w.Deployment)
	return err
}

// rollout registers the gate of the rollout of the Deployment called name.
func (w *workloadBuild) rollout(role, name string, deployment pulumi.Resource) (*Gate, error) {
	gate, err := w.args.Cluster.gate(w.ctx, w.name+"-"+role, gateArgs{Spec: health.Spec{
		Layer: "apps", Timeout: w.args.Timeouts.Workload, TimeoutKey: "strata:timeouts.workload",
		Body: rollout.Spec{Workloads: []string{w.args.Config.Namespace + "/Deployment/" + name}},
	}, Revision: w.revision()}, childOf(w, deployment)...)
	if err != nil {
		return nil, fmt.Errorf("gate rollout: %w", err)
	}
	return gate, nil
}

// revision returns a revision that changes with everything that causes a rollout. It is in plain
// text in the state, so it includes secrets only as a keyed hash.
func (w *workloadBuild) revision() pulumi.StringInput {
	public := w.args.Config
	public.SecretEnv, public.SecretFiles = nil, nil
	digest := digestOf(public, w.args.CertWaitImage)
	if !w.config.any {
		return pulumi.String(digest)
	}
	if len(w.config.names) == 0 {
		return pulumi.Sprintf("%s %s", digest, w.Hash)
	}
	names := w.config.names.ToStringArrayOutput().ApplyT(
		func(names []string) string { return strings.Join(names, " ") })
	return pulumi.Sprintf("%s %s %s", digest, w.Hash, names)
}

// workloadTLS returns the name of the Secret with a workload's certificate.
func workloadTLS(name string) string { return name + "-tls" }

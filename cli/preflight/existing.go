package preflight

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
	"strata/health/kube"
	"strata/health/nodes"
	"strata/health/observe"
)

// ExistingCluster describes an existing cluster for a preflight.
type ExistingCluster struct {
	// Name identifies the cluster in findings, for example context kind-kind.
	Name string
	// Server is the API server's URL, Kubeconfig the credentials, which are secret.
	Server     string
	Kubeconfig []byte
	// MetalLB and Traefik are true if the stack installs these layers, which conflict with other
	// installations of MetalLB and Traefik.
	MetalLB, Traefik bool
}

// existingFacts holds the facts of an existing cluster from one observation.
type existingFacts struct {
	API   kube.APIServerFacts `json:"api"`
	Nodes nodes.Facts         `json:"nodes"`
	// Allowed is true if the credentials have all permissions. Fault is the reason why Allowed,
	// ServiceLB or Traefik could not be read.
	Allowed bool        `json:"allowed,omitempty"`
	Fault   *kube.Fault `json:"fault,omitempty"`
	// ServiceLB are the Services that K3s's own load balancer serves. Traefik is true if K3s's own
	// Traefik exists.
	ServiceLB []string `json:"serviceLB,omitempty"`
	Traefik   bool     `json:"traefik,omitempty"`
}

// CheckExisting reads an existing cluster once, and returns its findings before the first change.
func CheckExisting(ctx context.Context, cluster ExistingCluster) ([]Finding, error) {
	all, err := kube.ClusterOf(health.Spec{Servers: []string{cluster.Server}, Existing: true},
		health.Secrets{Kubeconfig: cluster.Kubeconfig})
	if err != nil {
		return nil, err
	}
	facts := observeExisting(ctx, all)
	var findings []Finding
	for _, v := range judgeExisting(cluster, facts) {
		findings = append(findings, Finding{cluster.Name, v})
	}
	return findings, nil
}

func observeExisting(ctx context.Context, all *kube.Cluster) existingFacts {
	facts := existingFacts{API: all.Servers[0].Readyz(ctx)}
	nodes := &nodes.Watch{Cluster: all, Stable: observe.NewStable(time.Now), Now: time.Now,
		Renewed: map[string]nodes.Renewal{}}
	facts.Nodes = nodes.Observe(ctx)
	facts.Fault = all.Read(ctx, func(ctx context.Context, s *kube.APIServer) (err error) {
		if facts.Allowed, err = allowedEverything(ctx, s); err != nil {
			return err
		}
		facts.ServiceLB, facts.Traefik, err = rivals(ctx, s)
		return err
	})
	return facts
}

// allowedEverything reports whether the credentials have all permissions in all namespaces. The
// layers install CRDs, webhooks and roles, and a user can only grant permissions that the user has.
func allowedEverything(ctx context.Context, s *kube.APIServer) (bool, error) {
	answer, err := kube.Review(ctx, s, "selfsubjectaccessreviews",
		&authorizationv1.SelfSubjectAccessReview{
			TypeMeta: metav1.TypeMeta{APIVersion: "authorization.k8s.io/v1",
				Kind: "SelfSubjectAccessReview"},
			Spec: authorizationv1.SelfSubjectAccessReviewSpec{
				ResourceAttributes: &authorizationv1.ResourceAttributes{
					Verb: "*", Group: "*", Version: "*", Resource: "*",
				}},
		})
	if err != nil {
		return false, fmt.Errorf("ask for permissions: %w", err)
	}
	return answer.Status.Allowed, nil
}

// serviceLBLabel is the label of the DaemonSets that K3s's load balancer creates (k3s
// pkg/cloudprovider/servicelb.go).
const serviceLBLabel = "svccontroller.k3s.cattle.io/svcname"

// rivals returns the Services of K3s's own load balancer, and whether K3s's own Traefik exists. K3s
// deploys both by default; they conflict with the platform's.
func rivals(ctx context.Context, s *kube.APIServer) (services []string, traefik bool, err error) {
	balancers, err := kube.List[appsv1.DaemonSet](ctx, s, kube.DaemonSetResource,
		metav1.NamespaceSystem, metav1.ListOptions{LabelSelector: serviceLBLabel})
	if err != nil {
		return nil, false, err
	}
	for i := range balancers {
		services = append(services, balancers[i].Labels[serviceLBLabel])
	}
	service, err := kube.Get[corev1.Service](ctx, s, kube.ServiceResource, metav1.NamespaceSystem,
		"traefik")
	return services, service != nil, err
}

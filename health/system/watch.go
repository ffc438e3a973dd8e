package system

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

type systemWatch struct {
	spec    health.SystemSpec
	cluster *kube.Cluster
	stable  *observe.Stable
	dns     kube.WorkloadRef
}

// New is the constructor of kind system. Its error says what the Spec or the Secrets lack.
func New(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	all, err := kube.ClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	w := &systemWatch{cluster: all, stable: observe.NewStable(time.Now), dns: kube.WorkloadRef{Namespace: dnsNamespace, Kind: "Deployment", Name: dnsDeployment}}
	if spec.System != nil {
		w.spec = *spec.System
	}
	w.spec.Existing = spec.Existing
	return w, nil
}

// Run implements Watch.
func (w *systemWatch) Run(ctx context.Context, report func([]health.Verdict)) error {
	sources := append(w.dns.Sources(),
		kube.Source{Resource: kube.AccountResource, Namespace: "default", Name: "default"},
		kube.Source{Resource: kube.APIServiceResource, Name: metricsAPI},
		kube.Source{Resource: kube.EndpointSliceResource, Namespace: dnsNamespace, Labels: kube.ServiceLabel + "=" + dnsService},
	)
	w.cluster.Observe(ctx, sources, func(ctx context.Context) []health.Verdict { return judgeSystem(w.spec, w.observe(ctx)) }, report)
	return nil
}

func (w *systemWatch) observe(ctx context.Context) systemFacts {
	var facts systemFacts
	fault, seconds := w.cluster.ObserveOnce(ctx, w.stable, func(ctx context.Context, s *kube.APIServer) (err error) {
		facts, err = w.read(ctx, s)
		return err
	})
	if fault != nil {
		return systemFacts{Fault: fault, Seconds: seconds}
	}
	return facts
}

func (w *systemWatch) read(ctx context.Context, s *kube.APIServer) (systemFacts, error) {
	facts := systemFacts{}
	account, err := kube.Get[corev1.ServiceAccount](ctx, s, kube.AccountResource, "default", "default")
	if err != nil {
		return facts, err
	}
	facts.Account = account != nil
	if facts.Metrics, err = observeAPIService(ctx, s, metricsAPI); err != nil {
		return facts, err
	}
	if slices.Contains(w.spec.Disabled, "coredns") {
		return facts, nil
	}
	workloads, err := kube.ObserveWorkloads(ctx, s, []kube.WorkloadRef{w.dns}, w.stable)
	if err != nil {
		return facts, err
	}
	facts.DNS = workloads[0]
	facts.Endpoints, err = kube.ObserveEndpoints(ctx, s, dnsNamespace, dnsService)
	return facts, err
}

// apiServiceObject is what a gate reads of an APIService; its Go type is in kube-aggregator, which nothing else needs.
type apiServiceObject struct {
	Status struct {
		Conditions []kube.Condition `json:"conditions"`
	} `json:"status"`
}

func observeAPIService(ctx context.Context, s *kube.APIServer, name string) (apiServiceFacts, error) {
	object, err := kube.Get[apiServiceObject](ctx, s, kube.APIServiceResource, "", name)
	if err != nil || object == nil {
		return apiServiceFacts{Missing: err == nil}, err
	}
	facts := apiServiceFacts{}
	for _, c := range object.Status.Conditions {
		if c.Type == "Available" {
			facts.Available = c
			facts.Available.Message = kube.Stable(c.Message)
		}
	}
	return facts, nil
}

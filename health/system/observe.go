package system

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"strata/health/kube"
)

func (w *systemWatch) read(ctx context.Context, s *kube.APIServer) (systemFacts, error) {
	facts := systemFacts{}
	account, err := kube.Get[corev1.ServiceAccount](ctx, s, kube.AccountResource, "default",
		"default")
	if err != nil {
		return facts, err
	}
	facts.Account = account != nil
	if facts.Metrics, err = observeAPIService(ctx, s, metricsAPI); err != nil {
		return facts, err
	}
	isOurs := !w.spec.Existing && !slices.Contains(w.spec.Disabled, "metrics-server")
	if isOurs && facts.Metrics.Available.Status == "True" {
		if err = observeMeasured(ctx, s, time.Now(), &facts.Metrics); err != nil {
			return facts, err
		}
	}
	if slices.Contains(w.spec.Disabled, "coredns") {
		return facts, nil
	}
	workloads, err := kube.ObserveWorkloads(ctx, s, []kube.WorkloadRef{w.dns}, nil, w.stable)
	if err != nil {
		return facts, err
	}
	facts.DNS = workloads[0]
	if facts.Endpoints, err = kube.ObserveEndpoints(ctx, s, dnsNamespace, dnsService); err != nil {
		return facts, err
	}
	facts.Server, err = clusterIP(ctx, s, dnsNamespace, dnsService)
	if err != nil || w.names.Skipped != "" {
		return facts, err // without queries from hosts, the API's address is not needed
	}
	facts.API, err = clusterIP(ctx, s, "default", "kubernetes")
	return facts, err
}

// clusterIP returns a Service's address; empty if it has none.
func clusterIP(ctx context.Context, s *kube.APIServer, namespace, name string) (string, error) {
	service, err := kube.Get[corev1.Service](ctx, s, kube.ServiceResource, namespace, name)
	if err != nil || service == nil || service.Spec.ClusterIP == corev1.ClusterIPNone {
		return "", err
	}
	return service.Spec.ClusterIP, nil
}

// apiServiceObject holds the fields of an APIService that a gate reads; its Go type is in
// kube-aggregator, which nothing else needs.
type apiServiceObject struct {
	Status struct {
		Conditions []kube.Condition `json:"conditions"`
	} `json:"status"`
}

func observeAPIService(
	ctx context.Context, s *kube.APIServer, name string,
) (apiServiceFacts, error) {
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

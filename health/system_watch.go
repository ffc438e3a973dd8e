package health

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

type systemWatch struct {
	spec    SystemSpec
	cluster *cluster
	settled *settled
	dns     workloadRef
}

func newSystem(spec Spec, secrets Secrets) (Watch, error) {
	all, err := newClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	w := &systemWatch{cluster: all, settled: newSettled(time.Now), dns: workloadRef{namespace: dnsNamespace, kind: "Deployment", name: dnsDeployment}}
	if spec.System != nil {
		w.spec = *spec.System
	}
	w.spec.Lent = spec.Lent
	return w, nil
}

// Run implements Watch.
func (w *systemWatch) Run(ctx context.Context, report func([]Verdict)) error {
	sources := append(w.dns.sources(),
		source{resource: accountResource, namespace: "default", name: "default"},
		source{resource: apiServiceResource, name: metricsAPI},
		source{resource: endpointSliceResource, namespace: dnsNamespace, labels: serviceLabel + "=" + dnsService},
	)
	w.cluster.observe(ctx, sources, func(ctx context.Context) []Verdict { return judgeSystem(w.spec, w.look(ctx)) }, report)
	return nil
}

func (w *systemWatch) look(ctx context.Context) systemFacts {
	var facts systemFacts
	fault, seconds := w.cluster.look(ctx, w.settled, func(ctx context.Context, s *apiServer) (err error) {
		facts, err = w.read(ctx, s)
		return err
	})
	if fault != nil {
		return systemFacts{Fault: fault, Seconds: seconds}
	}
	return facts
}

func (w *systemWatch) read(ctx context.Context, s *apiServer) (systemFacts, error) {
	facts := systemFacts{}
	account, err := get[corev1.ServiceAccount](ctx, s, accountResource, "default", "default")
	if err != nil {
		return facts, err
	}
	facts.Account = account != nil
	if facts.Metrics, err = lookAPIService(ctx, s, metricsAPI); err != nil {
		return facts, err
	}
	if slices.Contains(w.spec.Disabled, "coredns") {
		return facts, nil
	}
	workloads, err := lookWorkloads(ctx, s, []workloadRef{w.dns}, w.settled)
	if err != nil {
		return facts, err
	}
	facts.DNS = workloads[0]
	facts.Endpoints, err = lookEndpoints(ctx, s, dnsNamespace, dnsService)
	return facts, err
}

// apiServiceObject is what a gate reads of an APIService; its Go type is in kube-aggregator, which nothing else needs.
type apiServiceObject struct {
	Status struct {
		Conditions []condition `json:"conditions"`
	} `json:"status"`
}

func lookAPIService(ctx context.Context, s *apiServer, name string) (apiServiceFacts, error) {
	object, err := get[apiServiceObject](ctx, s, apiServiceResource, "", name)
	if err != nil || object == nil {
		return apiServiceFacts{Missing: err == nil}, err
	}
	facts := apiServiceFacts{}
	for _, c := range object.Status.Conditions {
		if c.Type == "Available" {
			facts.Available = c
			facts.Available.Message = stable(c.Message)
		}
	}
	return facts, nil
}

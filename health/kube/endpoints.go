package kube

import (
	"context"
	"slices"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// EndpointFacts holds the addresses in the EndpointSlices of a Service.
type EndpointFacts struct {
	Ready    []string `json:"ready,omitempty"`
	NotReady []string `json:"notReady,omitempty"`
}

// ServiceLabel is the label by which an EndpointSlice names its Service.
const ServiceLabel = discoveryv1.LabelServiceName

// ObserveEndpoints returns the ready and unready addresses behind a Service, each sorted. Both are
// empty if the Service has no EndpointSlices.
func ObserveEndpoints(
	ctx context.Context, s *APIServer, namespace, service string,
) (EndpointFacts, error) {
	all, err := EndpointSlices(ctx, s, namespace, service)
	if err != nil {
		return EndpointFacts{}, err
	}
	facts := EndpointFacts{}
	for i := range all {
		for _, endpoint := range all[i].Endpoints {
			if EndpointReady(endpoint) {
				facts.Ready = append(facts.Ready, endpoint.Addresses...)
			} else {
				facts.NotReady = append(facts.NotReady, endpoint.Addresses...)
			}
		}
	}
	slices.Sort(facts.Ready)
	slices.Sort(facts.NotReady)
	return facts, nil
}

// EndpointSlices lists the EndpointSlices of a Service.
func EndpointSlices(
	ctx context.Context, s *APIServer, namespace, service string,
) ([]discoveryv1.EndpointSlice, error) {
	return List[discoveryv1.EndpointSlice](ctx, s, EndpointSliceResource, namespace,
		metav1.ListOptions{LabelSelector: ServiceLabel + "=" + service})
}

// EndpointReady reports whether an endpoint is ready. An unset condition means ready
// (discovery.k8s.io/v1 EndpointConditions).
func EndpointReady(endpoint discoveryv1.Endpoint) bool {
	return endpoint.Conditions.Ready == nil || *endpoint.Conditions.Ready
}

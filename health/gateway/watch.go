package gateway

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health"
	"strata/health/kube"
)

var (
	gatewayClassResource = schema.GroupVersionResource{Group: "gateway.networking.k8s.io",
		Version: "v1", Resource: "gatewayclasses"}
	gatewayResource = schema.GroupVersionResource{Group: "gateway.networking.k8s.io",
		Version: "v1", Resource: "gateways"}
)

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	return kube.NewWatch(spec, secrets, kube.Watch[gatewayFacts]{
		Sources: []kube.Source{
			{Resource: gatewayClassResource, Name: s.Class},
			{Resource: gatewayResource, Namespace: s.Namespace, Name: s.Name},
		},
		Read:  s.read,
		Judge: func(facts gatewayFacts) []health.Verdict { return judgeGateway(s, facts) },
	})
}

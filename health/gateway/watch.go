package gateway

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

var (
	gatewayClassResource = schema.GroupVersionResource{Group: "gateway.networking.k8s.io",
		Version: "v1", Resource: "gatewayclasses"}
	gatewayResource = schema.GroupVersionResource{Group: "gateway.networking.k8s.io",
		Version: "v1", Resource: "gateways"}
)

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	all, err := kube.ClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	return &kube.Watch[gatewayFacts]{
		Cluster: all, Stable: observe.NewStable(time.Now),
		Sources: []kube.Source{
			{Resource: gatewayClassResource, Name: s.Class},
			{Resource: gatewayResource, Namespace: s.Namespace, Name: s.Name},
		},
		Read: s.read,
		Failed: func(fault *kube.Fault, seconds int) gatewayFacts {
			return gatewayFacts{Fault: fault, Seconds: seconds}
		},
		Judge: func(facts gatewayFacts) []health.Verdict { return judgeGateway(s, facts) },
	}, nil
}

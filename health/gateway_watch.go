package health

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	gatewayClassResource = schema.GroupVersionResource{Group: "gateway.networking.k8s.io", Version: "v1", Resource: "gatewayclasses"}
	gatewayResource      = schema.GroupVersionResource{Group: "gateway.networking.k8s.io", Version: "v1", Resource: "gateways"}
)

type gatewayWatch struct {
	spec    GatewaySpec
	cluster *cluster
	settled *settled
}

func newGateway(spec Spec, secrets Secrets) (Watch, error) {
	all, err := newClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	return &gatewayWatch{spec: *spec.Gateway, cluster: all, settled: newSettled(time.Now)}, nil
}

// Run implements Watch.
func (w *gatewayWatch) Run(ctx context.Context, report func([]Verdict)) error {
	sources := []source{
		{resource: gatewayClassResource, name: w.spec.Class},
		{resource: gatewayResource, namespace: w.spec.Namespace, name: w.spec.Name},
	}
	w.cluster.observe(ctx, sources, func(ctx context.Context) []Verdict { return judgeGateway(w.spec, w.look(ctx)) }, report)
	return nil
}

func (w *gatewayWatch) look(ctx context.Context) gatewayFacts {
	var facts gatewayFacts
	fault, seconds := w.cluster.look(ctx, w.settled, func(ctx context.Context, s *apiServer) error {
		class, err := get[classObject](ctx, s, gatewayClassResource, "", w.spec.Class)
		if err != nil {
			return err
		}
		gateway, err := get[gatewayObject](ctx, s, gatewayResource, w.spec.Namespace, w.spec.Name)
		facts = gatewayFacts{Class: class.facts(), Gateway: gateway.facts()}
		return err
	})
	if fault != nil {
		return gatewayFacts{Fault: fault, Seconds: seconds}
	}
	return facts
}

// classObject is what a gate reads of a GatewayClass.
type classObject struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ControllerName string `json:"controllerName"`
	} `json:"spec"`
	Status struct {
		Conditions []condition `json:"conditions"`
	} `json:"status"`
}

func (o *classObject) facts() classSeen {
	if o == nil {
		return classSeen{Missing: true}
	}
	return classSeen{
		Deleting: o.DeletionTimestamp != nil, Generation: o.Generation, Controller: o.Spec.ControllerName,
		Accepted: conditionOf(o.Status.Conditions, "Accepted"),
	}
}

// gatewayObject is what a gate reads of a Gateway.
type gatewayObject struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		GatewayClassName string `json:"gatewayClassName"`
		Listeners        []struct {
			Name string `json:"name"`
		} `json:"listeners"`
	} `json:"spec"`
	Status struct {
		Conditions []condition `json:"conditions"`
		Listeners  []struct {
			Name           string      `json:"name"`
			Conditions     []condition `json:"conditions"`
			AttachedRoutes int         `json:"attachedRoutes"`
		} `json:"listeners"`
	} `json:"status"`
}

func (o *gatewayObject) facts() gatewaySeen {
	if o == nil {
		return gatewaySeen{Missing: true}
	}
	seen := gatewaySeen{
		Deleting: o.DeletionTimestamp != nil, Generation: o.Generation, Class: o.Spec.GatewayClassName,
		Accepted: conditionOf(o.Status.Conditions, "Accepted"), Programmed: conditionOf(o.Status.Conditions, "Programmed"),
	}
	for _, wanted := range o.Spec.Listeners {
		listener := listenerSeen{Name: wanted.Name}
		for _, reported := range o.Status.Listeners {
			if reported.Name == wanted.Name {
				listener.Reported, listener.Conditions, listener.Routes = true, reported.Conditions, reported.AttachedRoutes
			}
		}
		seen.Listeners = append(seen.Listeners, listener)
	}
	return seen
}

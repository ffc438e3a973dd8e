package gateway

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health/kube"
)

// read reads the Gateway and its class.
func (s Spec) read(ctx context.Context, server *kube.APIServer) (gatewayFacts, error) {
	class, err := kube.Get[classObject](ctx, server, gatewayClassResource, "", s.Class)
	if err != nil {
		return gatewayFacts{}, err
	}
	gateway, err := kube.Get[gatewayObject](ctx, server, gatewayResource, s.Namespace, s.Name)
	return gatewayFacts{Class: class.facts(), Gateway: gateway.facts()}, err
}

// classObject holds the fields of a GatewayClass that a gate reads.
type classObject struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ControllerName string `json:"controllerName"`
	} `json:"spec"`
	Status struct {
		Conditions []kube.Condition `json:"conditions"`
	} `json:"status"`
}

func (o *classObject) facts() classSeen {
	if o == nil {
		return classSeen{Missing: true}
	}
	return classSeen{
		Deleting: o.DeletionTimestamp != nil, Generation: o.Generation,
		Controller: o.Spec.ControllerName,
		Accepted:   kube.ConditionOf(o.Status.Conditions, "Accepted"),
	}
}

// gatewayObject holds the fields of a Gateway that a gate reads.
type gatewayObject struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		GatewayClassName string `json:"gatewayClassName"`
		Listeners        []struct {
			Name string `json:"name"`
		} `json:"listeners"`
	} `json:"spec"`
	Status struct {
		Conditions []kube.Condition `json:"conditions"`
		Listeners  []struct {
			Name           string           `json:"name"`
			Conditions     []kube.Condition `json:"conditions"`
			AttachedRoutes int              `json:"attachedRoutes"`
		} `json:"listeners"`
	} `json:"status"`
}

func (o *gatewayObject) facts() gatewaySeen {
	if o == nil {
		return gatewaySeen{Missing: true}
	}
	seen := gatewaySeen{
		Deleting: o.DeletionTimestamp != nil, Generation: o.Generation,
		Class:      o.Spec.GatewayClassName,
		Accepted:   kube.ConditionOf(o.Status.Conditions, "Accepted"),
		Programmed: kube.ConditionOf(o.Status.Conditions, "Programmed"),
	}
	for _, wanted := range o.Spec.Listeners {
		listener := listenerSeen{Name: wanted.Name}
		for _, reported := range o.Status.Listeners {
			if reported.Name == wanted.Name {
				listener.Reported = true
				listener.Conditions = reported.Conditions
				listener.Routes = reported.AttachedRoutes
			}
		}
		seen.Listeners = append(seen.Listeners, listener)
	}
	return seen
}

package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// resourceName is the type of a resource in a discovery response.
type resourceName = metav1.APIResource

// Names that the controller reads and writes.
const (
	controllerName = "apisix.apache.org/apisix-ingress-controller"
	finalizer      = "apisix.apache.org/gc-protection"
)

// kind is a kind of objects that the controller reads.
type kind struct{ resource schema.GroupVersionResource }

func gatewayAPI(name string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "gateway.networking.k8s.io", Version: "v1", Resource: name}
}

func own(version, name string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "apisix.apache.org", Version: version, Resource: name}
}

var (
	classes       = gatewayAPI("gatewayclasses")
	gateways      = gatewayAPI("gateways")
	httpRoutes    = gatewayAPI("httproutes")
	proxies       = own("v1alpha1", "gatewayproxies")
	consumers     = own("v1alpha1", "consumers")
	apisixRoutes  = own("v2", "apisixroutes")
	pluginConfigs = own("v2", "apisixpluginconfigs")
	apisixTLS     = own("v2", "apisixtlses")
	ingressClass  = schema.GroupVersionResource{Group: "networking.k8s.io", Version: "v1", Resource: "ingressclasses"}
	services      = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	secrets       = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	endpoints     = schema.GroupVersionResource{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"}
)

// kinds are all kinds that the controller reads.
var kinds = []kind{
	{classes}, {gateways}, {httpRoutes}, {proxies}, {consumers}, {apisixRoutes}, {pluginConfigs}, {apisixTLS},
	{ingressClass}, {services}, {secrets}, {endpoints},
}

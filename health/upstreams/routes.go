package upstreams

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health/kube"
)

// routeResources are the kinds of routes that APISIX's controller reads.
var routeResources = map[string]schema.GroupVersionResource{
	"HTTPRoute":   {Group: "gateway.networking.k8s.io", Version: "v1", Resource: "httproutes"},
	"ApisixRoute": {Group: "apisix.apache.org", Version: "v2", Resource: "apisixroutes"},
	"Ingress":     {Group: "networking.k8s.io", Version: "v1", Resource: "ingresses"},
}

// backend is a port of a Service, given by number or by name.
type backend struct{ namespace, service, port string }

// observeRoute reads the addresses to which a route must send requests.
func observeRoute(ctx context.Context, s *kube.APIServer, ref RouteRef) (routeSeen, error) {
	seen := routeSeen{Route: ref.String()}
	object, err := s.Dyn.Resource(routeResources[ref.Kind]).Namespace(ref.Namespace).Get(ctx,
		ref.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		seen.Missing = true
		return seen, nil
	} else if err != nil {
		return seen, fmt.Errorf("get %s: %w", ref, err)
	}
	for _, one := range backendsOf(ref, object.Object) {
		addresses, behind, err := observeBackend(ctx, s, one)
		if err != nil {
			return seen, err
		}
		if behind != "" {
			seen.Behind = behind
			return seen, nil
		}
		seen.Addresses = append(seen.Addresses, addresses...)
	}
	slices.Sort(seen.Addresses)
	seen.Addresses = slices.Compact(seen.Addresses)
	return seen, nil
}

// backendsOf returns the Services that a route names, in any of its rules.
func backendsOf(ref RouteRef, route map[string]any) []backend {
	var found []backend
	add := func(namespace string, service, port any) {
		if namespace == "" {
			namespace = ref.Namespace
		}
		if one := (backend{namespace, fmt.Sprint(service), fmt.Sprint(port)}); service != nil &&
			!slices.Contains(found, one) {
			found = append(found, one)
		}
	}
	switch ref.Kind {
	case "HTTPRoute":
		for _, rule := range fieldsOf(route, "spec", "rules") {
			for _, to := range fieldsOf(rule, "backendRefs") {
				namespace, _ := to["namespace"].(string)
				add(namespace, to["name"], to["port"])
			}
		}
	case "ApisixRoute":
		for _, rule := range fieldsOf(route, "spec", "http") {
			for _, to := range fieldsOf(rule, "backends") {
				add("", to["serviceName"], to["servicePort"])
			}
		}
	case "Ingress":
		for _, rule := range fieldsOf(route, "spec", "rules") {
			for _, path := range fieldsOf(rule, "http", "paths") {
				service, _, _ := unstructured.NestedMap(path, "backend", "service")
				port, _ := service["port"].(map[string]any)
				if number, ok := port["number"]; ok {
					add("", service["name"], number)
				} else {
					add("", service["name"], port["name"])
				}
			}
		}
	}
	return found
}

// fieldsOf returns the objects of a list field.
func fieldsOf(from map[string]any, path ...string) []map[string]any {
	values, _, _ := unstructured.NestedSlice(from, path...)
	var found []map[string]any
	for _, value := range values {
		if one, ok := value.(map[string]any); ok {
			found = append(found, one)
		}
	}
	return found
}

// observeBackend reads the ready addresses of a Service's port. behind says why they are not known:
// no Service, no such port, or EndpointSlices that differ from the Pods. EndpointSlices follow the
// Pods a moment later, so a data plane that matches them may be outdated too.
func observeBackend(ctx context.Context, s *kube.APIServer, to backend) (addresses []string,
	behind string, err error) {
	service, err := kube.Get[corev1.Service](ctx, s, kube.ServiceResource, to.namespace, to.service)
	if err != nil {
		return nil, "", err
	}
	if service == nil {
		return nil, fmt.Sprintf("Service %s/%s does not exist", to.namespace, to.service), nil
	}
	at := slices.IndexFunc(service.Spec.Ports, func(p corev1.ServicePort) bool {
		return p.Name == to.port || strconv.Itoa(int(p.Port)) == to.port
	})
	if at < 0 {
		return nil, fmt.Sprintf("Service %s/%s has no port %s", to.namespace, to.service,
			to.port), nil
	}
	all, err := kube.EndpointSlices(ctx, s, to.namespace, to.service)
	if err != nil {
		return nil, "", err
	}
	addresses = readyAddresses(all, service.Spec.Ports[at].Name)
	if len(service.Spec.Selector) == 0 || service.Spec.PublishNotReadyAddresses {
		return addresses, "", nil
	}
	pods, err := kube.List[corev1.Pod](ctx, s, kube.PodResource, to.namespace,
		metav1.ListOptions{LabelSelector: labels.SelectorFromSet(service.Spec.Selector).String()})
	if err != nil {
		return nil, "", err
	}
	return addresses, lag(to, addresses, pods), nil
}

// readyAddresses returns the addresses that the controller would use
// (internal/adc/translator/httproute.go: translateEndpointSlice).
func readyAddresses(all []discoveryv1.EndpointSlice, port string) []string {
	var found []string
	for _, one := range all {
		for _, p := range one.Ports {
			if p.Name == nil && port != "" || p.Name != nil && *p.Name != port || p.Port == nil {
				continue
			}
			for _, endpoint := range one.Endpoints {
				if !kube.EndpointReady(endpoint) {
					continue
				}
				for _, address := range endpoint.Addresses {
					found = append(found, net.JoinHostPort(address, strconv.Itoa(int(*p.Port))))
				}
			}
		}
	}
	return found
}

// lag describes how EndpointSlices differ from Pods; empty if they do not.
func lag(of backend, addresses []string, pods []corev1.Pod) string {
	listed := map[string]bool{}
	for _, address := range addresses {
		host, _, _ := net.SplitHostPort(address)
		listed[host] = true
	}
	for i := range pods {
		pod := &pods[i]
		ready := pod.DeletionTimestamp == nil && kube.PodReady(pod)
		has := slices.ContainsFunc(pod.Status.PodIPs,
			func(ip corev1.PodIP) bool { return listed[ip.IP] })
		if ready && !has {
			return fmt.Sprintf("Pod %s is ready and not yet in the EndpointSlices of Service %s/%s",
				pod.Name, of.namespace, of.service)
		}
		for _, ip := range pod.Status.PodIPs {
			if ready {
				delete(listed, ip.IP)
			}
		}
	}
	var gone []string
	for address := range listed {
		gone = append(gone, address)
	}
	if slices.Sort(gone); len(gone) > 0 {
		return fmt.Sprintf("the EndpointSlices of Service %s/%s still have %s, where no "+
			"ready Pod is", of.namespace, of.service, strings.Join(gone, " "))
	}
	return ""
}

package supervisor

import (
	"context"
	"fmt"
	"net"
	"sort"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// APIServers lists host:port of every API server behind the kubernetes Service.
func APIServers(ctx context.Context, core kubernetes.Interface) ([]string, error) {
	slices, err := core.DiscoveryV1().EndpointSlices(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{
		LabelSelector: "kubernetes.io/service-name=kubernetes",
	})
	if err != nil {
		return nil, err
	}
	var addresses []string
	for _, slice := range slices.Items {
		for _, port := range slice.Ports {
			for _, endpoint := range slice.Endpoints {
				for _, address := range endpoint.Addresses {
					addresses = append(addresses, net.JoinHostPort(address, fmt.Sprint(*port.Port)))
				}
			}
		}
	}
	sort.Strings(addresses)
	return addresses, nil
}

package supervisor

import (
	"context"
	"fmt"
	"net"
	"sort"
	"time"

	"github.com/sirupsen/logrus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	// followInterval is as long as K3s takes to use a server that has come: it watches, and waits a
	// second for further changes.
	followInterval = 2 * time.Second
	followTimeout  = 5 * time.Second
)

// FollowAPIServers hands the list of API servers to use, again and again until ctx ends. It asks
// with a node's credentials, and skips what it cannot learn.
func FollowAPIServers(ctx context.Context, kubeconfig string, use func(servers []string)) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		logrus.Errorf("follow API servers: %v", err)
		return
	}
	config.Timeout = followTimeout
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		logrus.Errorf("follow API servers: %v", err)
		return
	}
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		if servers, err := APIServers(ctx, client); err == nil && len(servers) > 0 {
			use(servers)
		}
	}, followInterval)
}

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

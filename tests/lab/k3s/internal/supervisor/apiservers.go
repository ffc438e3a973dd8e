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
	// followInterval is the interval of the queries. K3s notices a new server after about the same
	// time: it watches, and waits a second for further changes.
	followInterval = 2 * time.Second
	followTimeout  = 5 * time.Second
)

// FollowAPIServers calls use with the list of API servers every followInterval until ctx ends. It
// authenticates with a node's kubeconfig, and skips failed or empty responses.
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

// APIServers returns the addresses (host:port) of all API servers behind the kubernetes Service.
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

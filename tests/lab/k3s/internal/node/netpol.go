package node

import (
	"context"
	"fmt"
	"sync"

	"github.com/cloudnativelabs/kube-router/v2/pkg/controllers/netpol"
	"github.com/cloudnativelabs/kube-router/v2/pkg/healthcheck"
	"github.com/cloudnativelabs/kube-router/v2/pkg/options"
	"github.com/cloudnativelabs/kube-router/v2/pkg/utils"
	"github.com/coreos/go-iptables/iptables"
	"github.com/sirupsen/logrus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// runNetworkPolicies starts kube-router's network policy controller with K3s's settings (k3s-io/k3s
// pkg/agent/netpol/netpol.go). Unlike K3s, it fails if ipset does not work. K3s then runs without
// network policies.
func (c *Config) runNetworkPolicies(ctx context.Context) error {
	config, err := clientcmd.BuildConfigFromFlags("", c.agentPath("k3scontroller.kubeconfig"))
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	tables, err := iptables.NewWithProtocol(iptables.ProtocolIPv4)
	if err != nil {
		return fmt.Errorf("failed to create iptables handler: %w", err)
	}
	sets, err := utils.NewIPSet(false)
	if err != nil {
		return fmt.Errorf("failed to create ipset handler: %w", err)
	}
	router := options.NewKubeRouterConfig()
	router.ClusterIPCIDRs, router.EnableIPv4 = []string{c.cluster.Critical.ServiceCIDR}, true
	router.HostnameOverride, router.RunFirewall = c.Name, true

	factory := informers.NewSharedInformerFactory(client, 0)
	pods, namespaces := factory.Core().V1().Pods().Informer(), factory.Core().V1().Namespaces().Informer()
	policies := factory.Networking().V1().NetworkPolicies().Informer()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	controller, err := netpol.NewNetworkPolicyController(client, router, pods, policies, namespaces, &sync.Mutex{},
		map[corev1.IPFamily]utils.IPTablesHandler{corev1.IPv4Protocol: tables},
		map[corev1.IPFamily]utils.IPSetHandler{corev1.IPv4Protocol: sets})
	if err != nil {
		return fmt.Errorf("unable to initialize network policy controller: %w", err)
	}
	for informer, handler := range map[cache.SharedIndexInformer]cache.ResourceEventHandler{
		pods: controller.PodEventHandler, namespaces: controller.NamespaceEventHandler, policies: controller.NetworkPolicyEventHandler,
	} {
		if _, err := informer.AddEventHandler(handler); err != nil {
			return err
		}
	}
	logrus.Info("Starting network policy controller")
	startController(ctx, controller)
	return nil
}

// startController runs the controller, and receives its heartbeats. The controller would block
// without a receiver.
func startController(ctx context.Context, controller *netpol.NetworkPolicyController) {
	beats := make(chan *healthcheck.ControllerHeartbeat)
	go func() {
		for {
			select {
			case <-beats:
			case <-ctx.Done():
				return
			}
		}
	}()
	var running sync.WaitGroup // Run requires a WaitGroup; nothing waits for it
	running.Add(1)
	go controller.Run(beats, ctx.Done(), &running)
}

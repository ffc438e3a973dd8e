package node

import (
	"context"
	"fmt"
	"maps"
	"os"

	"github.com/sirupsen/logrus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	toolswatch "k8s.io/client-go/tools/watch"

	"strata/tests/lab/k3s/internal/supervisor"
	"strata/tests/lab/k3s/internal/tunnel"
)

// Run joins the node and starts its components. It returns when the Pod network is up. On a server,
// apiReady is closed when the local API server responds, and kubelet starts only then. On an agent,
// apiReady is nil.
func (c *Config) Run(ctx context.Context, serverURL string, apiReady <-chan struct{}, annotations map[string]string) error {
	if err := os.Setenv("NODE_NAME", c.Name); err != nil { // flannel reads it
		return err
	}
	if err := c.join(ctx, serverURL); err != nil {
		return err
	}
	if err := c.connect(ctx); err != nil {
		return err
	}
	if err := c.startContainerd(ctx); err != nil {
		return err
	}
	c.importImages(ctx)
	if apiReady != nil {
		select {
		case <-apiReady:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := c.runKubelet(ctx); err != nil {
		return err
	}
	if !c.cluster.DisableKubeProxy {
		c.runProxy(ctx)
	}
	return c.register(ctx, annotations)
}

// connect opens the tunnels for logs, exec and proxy to the servers, and follows changes of the
// list of servers.
func (c *Config) connect(ctx context.Context) error {
	agent, err := tunnel.NewAgent(c.agentPath("kubelet.kubeconfig"))
	if err != nil {
		return err
	}
	kubeconfig := c.agentPath("k3scontroller.kubeconfig")
	go supervisor.FollowAPIServers(ctx, kubeconfig, func(servers []string) {
		agent.Follow(ctx, servers)
		if c.OnServers != nil {
			c.OnServers(servers)
		}
	})
	return nil
}

func (c *Config) register(ctx context.Context, annotations map[string]string) error {
	config, err := clientcmd.BuildConfigFromFlags("", c.agentPath("kubelet.kubeconfig"))
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	podCIDR, err := c.waitForPodCIDR(ctx, client)
	if err != nil {
		return fmt.Errorf("failed to wait for PodCIDR assignment: %w", err)
	}
	if err := c.annotate(ctx, client, annotations); err != nil {
		return err
	}
	if err := c.retryFlannel(ctx, podCIDR); err != nil || c.cluster.Critical.DisableNPC {
		return err
	}
	return c.runNetworkPolicies(ctx)
}

// waitForPodCIDR waits until the Node has a Pod CIDR, and returns it. It watches only this Node,
// because a kubelet may not read others.
func (c *Config) waitForPodCIDR(ctx context.Context, client kubernetes.Interface) (string, error) {
	lw := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "nodes", metav1.NamespaceNone,
		fields.OneTermEqualSelector(metav1.ObjectNameField, c.Name))
	var podCIDR string
	_, err := toolswatch.UntilWithSync(ctx, lw, &corev1.Node{}, nil, func(e watch.Event) (bool, error) {
		if n, ok := e.Object.(*corev1.Node); ok && n.DeletionTimestamp == nil {
			podCIDR = n.Spec.PodCIDR
		}
		return podCIDR != "", nil
	})
	logrus.Infof("Flannel found PodCIDR assigned for node %s", c.Name)
	return podCIDR, err
}

// annotate sets K3s's annotations on the Node.
func (c *Config) annotate(ctx context.Context, client kubernetes.Interface, extra map[string]string) error {
	annotations := map[string]string{"k3s.io/hostname": c.Name, "k3s.io/internal-ip": c.IP}
	maps.Copy(annotations, extra)
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": annotations}})
	if err != nil {
		return err
	}
	_, err = client.CoreV1().Nodes().Patch(ctx, c.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

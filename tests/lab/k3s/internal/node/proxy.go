package node

import (
	"context"
	"sort"

	"github.com/sirupsen/logrus"
	"k8s.io/kubernetes/cmd/kube-proxy/app"
)

// runProxy starts kube-proxy in iptables mode with K3s's settings (k3s-io/k3s
// pkg/daemons/agent/agent_linux.go).
func (c *Config) runProxy(ctx context.Context) {
	args := append([]string{
		"--cluster-cidr=" + c.cluster.Critical.ClusterCIDR,
		"--conntrack-max-per-core=0",
		"--conntrack-tcp-timeout-close-wait=0s",
		"--conntrack-tcp-timeout-established=0s",
		"--healthz-bind-address=127.0.0.1",
		"--hostname-override=" + c.Name,
		"--kubeconfig=" + c.agentPath("kubeproxy.kubeconfig"),
		"--proxy-mode=iptables",
	}, dashed(c.ProxyArgs)...)
	sort.Strings(args)
	logrus.Infof("Running kube-proxy %v", args)
	go func() {
		cmd := app.NewProxyCommand()
		cmd.SetArgs(args)
		cmd.SilenceErrors = true
		if err := cmd.ExecuteContext(ctx); ctx.Err() == nil {
			logrus.Fatalf("kube-proxy exited: %v", err)
		}
	}()
}

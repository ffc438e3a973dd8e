package node

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/flannel-io/flannel/pkg/backend"
	_ "github.com/flannel-io/flannel/pkg/backend/hostgw" // registers "host-gw"
	_ "github.com/flannel-io/flannel/pkg/backend/vxlan"  // registers "vxlan"
	"github.com/flannel-io/flannel/pkg/ip"
	"github.com/flannel-io/flannel/pkg/subnet"
	"github.com/flannel-io/flannel/pkg/subnet/kube"
	"github.com/flannel-io/flannel/pkg/trafficmngr/iptables"
	"github.com/sirupsen/logrus"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	subnetFile         = "/run/flannel/subnet.env"
	iptablesResyncSecs = 60
	flannelPrefix      = "flannel.alpha.coreos.com"
)

// runFlannel sets up the Pod network with flannel's own packages. Unlike K3s, the CNI configuration
// uses the bridge plugin directly, because Debian has no flannel CNI plugin. The bridge is cni0 in
// both cases.
func (c *Config) runFlannel(ctx context.Context, podCIDR string) error {
	backendType := c.cluster.Critical.FlannelBackend
	if backendType == "none" {
		return nil
	}
	if err := c.writeFlannelConfig(backendType); err != nil {
		return err
	}
	manager, err := kube.NewSubnetManager(ctx, "", c.agentPath("k3scontroller.kubeconfig"), flannelPrefix, c.agentPath("etc/flannel/net-conf.json"), false)
	if err != nil {
		return err
	}
	network, config, err := c.registerNetwork(ctx, manager)
	if err != nil {
		return err
	}
	if err := c.writeCNI(podCIDR, network.MTU()); err != nil {
		return err
	}
	traffic := &iptables.IPTablesManager{}
	if err := traffic.Init(ctx); err != nil { // the killall script removes the rules, as in K3s
		return err
	}
	lease := network.Lease()
	err = traffic.SetupAndEnsureMasqRules(ctx, config.Network, ip.IP4Net{}, ip.IP4Net{},
		config.IPv6Network, ip.IP6Net{}, ip.IP6Net{}, lease, iptablesResyncSecs, false)
	if err != nil {
		return err
	}
	traffic.SetupAndEnsureForwardRules(ctx, config.Network, config.IPv6Network, iptablesResyncSecs)
	if err := manager.HandleSubnetFile(subnetFile, config, true, lease.Subnet, lease.IPv6Subnet, network.MTU()); err != nil {
		return err
	}
	logrus.Infof("Wrote flannel subnet file to %s", subnetFile)
	go network.Run(ctx)
	return nil
}

func (c *Config) registerNetwork(ctx context.Context, manager subnet.Manager) (backend.Network, *subnet.Config, error) {
	config, err := manager.GetNetworkConfig(ctx)
	if err != nil {
		return nil, nil, err
	}
	iface, err := c.flannelInterface()
	if err != nil {
		return nil, nil, err
	}
	address, err := interfaceIPv4(iface, c.IP)
	if err != nil {
		return nil, nil, err
	}
	logrus.Infof("The interface %s with ipv4 address %s will be used by flannel", iface.Name, address)
	found, err := backend.NewManager(ctx, manager, &backend.ExternalInterface{Iface: iface, IfaceAddr: address, ExtAddr: address}).GetBackend(config.BackendType)
	if err != nil {
		return nil, nil, err
	}
	network, err := found.RegisterNetwork(ctx, &sync.WaitGroup{}, config)
	return network, config, err
}

func (c *Config) flannelInterface() (*net.Interface, error) {
	if c.FlannelIface != "" {
		iface, err := net.InterfaceByName(c.FlannelIface)
		if err != nil {
			return nil, fmt.Errorf("unable to find interface %s: %w", c.FlannelIface, err)
		}
		return iface, nil
	}
	interfaces, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	for i := range interfaces {
		if _, err := interfaceIPv4(&interfaces[i], c.IP); err == nil && hasAddress(&interfaces[i], c.IP) {
			return &interfaces[i], nil
		}
	}
	return nil, fmt.Errorf("no interface has the node IP %s", c.IP)
}

func hasAddress(iface *net.Interface, want string) bool {
	addresses, err := iface.Addrs()
	if err != nil {
		return false
	}
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && n.IP.String() == want {
			return true
		}
	}
	return false
}

// interfaceIPv4 returns the preferred address if the interface has it; otherwise its first IPv4
// address.
func interfaceIPv4(iface *net.Interface, preferred string) (net.IP, error) {
	if hasAddress(iface, preferred) {
		return net.ParseIP(preferred).To4(), nil
	}
	addresses, err := iface.Addrs()
	if err != nil {
		return nil, err
	}
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil {
			return n.IP.To4(), nil
		}
	}
	return nil, fmt.Errorf("failed to find IPv4 address for interface %s", iface.Name)
}

func (c *Config) writeFlannelConfig(backendType string) error {
	return c.writeJSON("etc/flannel", "net-conf.json", map[string]any{
		"Network": c.cluster.Critical.ClusterCIDR, "EnableIPv4": true, "EnableIPv6": false, "IPv6Network": "::/0",
		"Backend": map[string]any{"Type": backendType},
	})
}

// writeCNI writes the CNI configuration. kubelet waits for it before the Node becomes Ready.
func (c *Config) writeCNI(podCIDR string, mtu int) error {
	return c.writeJSON("etc/cni/net.d", "10-flannel.conflist", map[string]any{
		"cniVersion": "1.0.0", "name": "cbr0",
		"plugins": []map[string]any{
			{
				"type": "bridge", "bridge": "cni0", "mtu": mtu, "isGateway": true, "isDefaultGateway": true, "forceAddress": true,
				"hairpinMode": true, "ipMasq": false,
				"ipam": map[string]any{
					"type": "host-local", "ranges": [][]map[string]string{{{"subnet": podCIDR}}},
					"routes": []map[string]string{{"dst": c.cluster.Critical.ClusterCIDR}},
				},
			},
			{"type": "portmap", "capabilities": map[string]bool{"portMappings": true}},
			{"type": "bandwidth", "capabilities": map[string]bool{"bandwidth": true}},
		},
	})
}

func (c *Config) writeJSON(dir, name string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.agentPath(dir), 0o755); err != nil {
		return err
	}
	return os.WriteFile(c.agentPath(dir+"/"+name), append(data, '\n'), 0o644)
}

// retryFlannel calls runFlannel every second until it succeeds. runFlannel fails while the
// cluster's RBAC objects do not exist yet.
func (c *Config) retryFlannel(ctx context.Context, podCIDR string) error {
	return wait.PollUntilContextCancel(ctx, time.Second, true, func(context.Context) (bool, error) {
		err := c.runFlannel(ctx, podCIDR)
		if err != nil {
			logrus.Infof("Waiting to start flannel: %v", err)
		}
		return err == nil, nil
	})
}

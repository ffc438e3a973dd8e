package components

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"sigs.k8s.io/yaml"

	"strata/config"
	"strata/internal/kube/apiserver"
)

// k3sConfig returns a node's config.yaml, whose keys are K3s's long flags
// (https://docs.k3s.io/installation/configuration). It does not contain how the node joins: the
// install script decides that on the host, where it sees whether a cluster exists. The text
// contains tokens, so it is secret. A server gets both tokens. An agent gets only the agent token,
// which gives no access to the cluster's CA keys.
func k3sConfig(
	cfg config.K3s, node config.Node, servers []config.Node, token, agentToken string,
) (string, error) {
	keys := map[string]any{
		"token":     agentToken,
		"node-name": node.Name,
		"node-ip":   node.Address.String(),
	}
	if cfg.FlannelInterface != "" {
		keys["flannel-iface"] = cfg.FlannelInterface
	}
	extra := cfg.AgentArgs
	if node.Role == config.RoleServer {
		extra = cfg.ServerArgs
		maps.Copy(keys, serverKeys(cfg, servers))
		keys["token"], keys["agent-token"] = token, agentToken
	}
	for key, value := range extra {
		if _, owned := keys[key]; owned {
			return "", fmt.Errorf("key %s of %s is set by Strata", key, node.Name)
		}
		keys[key] = value
	}
	text, err := yaml.Marshal(keys)
	return string(text), err
}

// serverKeys returns the keys of config.yaml that only servers have; most must be equal on all
// servers (https://docs.k3s.io/cli/server#critical-configuration-values).
func serverKeys(cfg config.K3s, servers []config.Node) map[string]any {
	names := slices.Clone(cfg.TLSSANs)
	for _, server := range servers {
		names = append(names, server.Address.String())
	}
	if cfg.VIP.IsValid() {
		names = append(names, cfg.VIP.String())
	}
	slices.Sort(names)
	return map[string]any{
		"cluster-cidr":          cfg.ClusterCIDR.String(),
		"service-cidr":          cfg.ServiceCIDR.String(),
		"disable":               cfg.Disable,
		"tls-san":               slices.Compact(names),
		"secrets-encryption":    *cfg.SecretsEncryption,
		"write-kubeconfig-mode": "0600",
		// Each server stores its own snapshots, so that the loss of one server does not delete
		// every snapshot (docs.k3s.io/cli/etcd-snapshot).
		"etcd-snapshot-schedule-cron": cfg.Snapshots.Schedule,
		"etcd-snapshot-retention":     cfg.Snapshots.Retention,
	}
}

// nodeFile is the path, below /etc/rancher/k3s, of the file with the Node's labels and taints. K3s
// applies them only when the Node registers; the command of removeLeaving applies later changes. So
// a change of the file does not restart K3s.
const nodeFile = "config.yaml.d/80-strata-node.yaml"

// k3sNodeFile returns the content of nodeFile; empty if there are no labels or taints.
func k3sNodeFile(set apiserver.NodeSettings) (string, error) {
	if set.IsEmpty() {
		return "", nil
	}
	keys := map[string]any{}
	if len(set.Labels) > 0 {
		keys["node-label"] = set.LabelFlags()
	}
	if len(set.Taints) > 0 {
		keys["node-taint"] = set.Taints
	}
	text, err := yaml.Marshal(keys)
	return string(text), err
}

// config returns the node's config.yaml, followed by the other files (k3sFiles). The text is
// secret, but sumOf may be used on it, because it contains a token.
func (k *k3s) config(host *Host) pulumi.StringOutput {
	servers := make([]config.Node, 0, len(k.servers))
	for _, server := range k.servers {
		servers = append(servers, server.Node)
	}
	return pulumi.All(k.tokens.server(), k.tokens.agent).ApplyT(func(known []any) (string, error) {
		text, err := k3sConfig(k.args.Config, host.Node, servers, known[0].(string),
			known[1].(string))
		if err != nil {
			return "", err
		}
		others, err := k3sFiles(k.args.Config, settingsOf(host), k.args.Subnet)
		return text + others, err
	}).(pulumi.StringOutput)
}

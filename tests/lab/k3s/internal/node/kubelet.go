package node

import (
	"context"
	"encoding/json"
	"os"
	"strings"

	"github.com/sirupsen/logrus"
	"k8s.io/kubernetes/cmd/kubelet/app"
)

// runKubelet starts kubelet with K3s's settings (k3s-io/k3s pkg/daemons/agent/agent_linux.go).
// kubelet is the only component of the process that installs a signal handler.
func (c *Config) runKubelet(ctx context.Context) error {
	file := c.agentPath("etc/kubelet.conf.d/00-k3s-defaults.conf")
	if err := c.writeKubeletConfig(file); err != nil {
		return err
	}
	args := append([]string{
		"--config=" + file,
		"--kubeconfig=" + c.agentPath("kubelet.kubeconfig"),
		"--hostname-override=" + c.Name,
		"--node-ip=" + c.IP,
		"--node-labels=" + strings.Join(append([]string{"node.kubernetes.io/instance-type=k3s"}, c.Labels...), ","),
	}, dashed(c.KubeletArgs)...)
	if len(c.Taints) > 0 {
		args = append(args, "--register-with-taints="+strings.Join(c.Taints, ","))
	}
	logrus.Infof("Running kubelet %v", args)
	go func() {
		cmd := app.NewKubeletCommand(ctx)
		cmd.SetArgs(args)
		cmd.SilenceErrors = true
		if err := cmd.ExecuteContext(ctx); ctx.Err() == nil {
			logrus.Fatalf("kubelet exited: %v", err)
		}
	}()
	return nil
}

// writeKubeletConfig writes kubelet's configuration with K3s's values. On cgroup v1 it adds
// settings for machines that are containers, whose cgroups kubelet must not manage.
func (c *Config) writeKubeletConfig(file string) error {
	config := map[string]any{
		"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
		"address":                   "0.0.0.0",
		"authentication":            map[string]any{"anonymous": map[string]any{"enabled": false}, "webhook": map[string]any{"enabled": true, "cacheTTL": "2m0s"}, "x509": map[string]any{"clientCAFile": c.agentPath("client-ca.crt")}},
		"authorization":             map[string]any{"mode": "Webhook"},
		"cgroupDriver":              "cgroupfs",
		"clusterDNS":                []string{c.cluster.Critical.ClusterDNS},
		"clusterDomain":             c.cluster.Critical.ClusterDomain,
		"containerRuntimeEndpoint":  "unix://" + Socket,
		"cpuManagerReconcilePeriod": "10s",
		"evictionHard":              map[string]string{"imagefs.available": "5%", "nodefs.available": "5%"},
		"evictionMinimumReclaim":    map[string]string{"imagefs.available": "10%", "nodefs.available": "10%"},
		"failSwapOn":                false,
		"healthzBindAddress":        "127.0.0.1",
		"protectKernelDefaults":     c.ProtectKernelDefaults,
		"providerID":                "k3s://" + c.Name,
		"resolvConf":                c.resolvConf(),
		"serializeImagePulls":       false,
		"staticPodPath":             c.agentPath("pod-manifests"),
		"tlsCertFile":               c.agentPath("serving-kubelet.crt"),
		"tlsPrivateKeyFile":         c.agentPath("serving-kubelet.key"),
	}
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); os.IsNotExist(err) {
		config["cgroupsPerQOS"] = false
		config["enforceNodeAllocatable"] = []string{}
		config["localStorageCapacityIsolation"] = false
	}
	for _, dir := range []string{c.agentPath("etc/kubelet.conf.d"), c.agentPath("pod-manifests")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	data, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o600)
}

// resolvConf returns the path of kubelet's resolv.conf: the configured file, or the host's. If Pods
// cannot use the host's name servers, for example because they are on loopback, it writes a file
// with 8.8.8.8, as K3s does.
func (c *Config) resolvConf() string {
	if c.ResolvConf != "" {
		return c.ResolvConf
	}
	for _, file := range []string{"/etc/resolv.conf", "/run/systemd/resolve/resolv.conf"} {
		if usableResolvConf(file) {
			return file
		}
	}
	file := c.agentPath("etc/resolv.conf")
	if err := os.WriteFile(file, []byte("nameserver 8.8.8.8\n"), 0o644); err != nil {
		logrus.Errorf("Failed to write %s: %v", file, err)
	}
	return file
}

func dashed(args []string) []string {
	var out []string
	for _, arg := range args {
		out = append(out, "--"+strings.TrimLeft(arg, "-"))
	}
	return out
}

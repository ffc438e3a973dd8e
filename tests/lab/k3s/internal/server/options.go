package server

import (
	"fmt"
	"net"
	"os"
	"strings"

	"strata/tests/lab/k3s/internal/node"
	"strata/tests/lab/k3s/internal/settings"
)

// K3s's paths and port.
const (
	DefaultKubeconfig = "/etc/rancher/k3s/k3s.yaml"
	dataDir           = "/var/lib/rancher/k3s"
	port              = 6443
)

// Images of Pod sandboxes and packaged manifests. The build sets them to the references in the
// lab's image archives.
var (
	PauseImage   = "rancher/mirrored-pause:3.6"
	CoreDNSImage = "rancher/mirrored-coredns-coredns:1.13.1"
	MetricsImage = "rancher/mirrored-metrics-server:v0.8.0"
)

func textOr(p *settings.Parsed, name, def string) string {
	if v := p.Texts[name]; v != "" {
		return v
	}
	return def
}

// split splits list values at commas, as K3s does.
func split(values []string) []string {
	var out []string
	for _, v := range values {
		for _, part := range strings.Split(v, ",") {
			if part = strings.TrimSpace(part); part != "" {
				out = append(out, part)
			}
		}
	}
	return out
}

func firstOr(values []string, def string) string {
	if parts := split(values); len(parts) > 0 {
		return parts[0]
	}
	return def
}

func nodeConfig(p *settings.Parsed) (*node.Config, error) {
	name, err := nodeName(p)
	if err != nil {
		return nil, err
	}
	ip := firstOr(p.Lists["node-ip"], "")
	if ip == "" {
		if ip, err = defaultIP(); err != nil {
			return nil, err
		}
	}
	if net.ParseIP(ip) == nil {
		return nil, fmt.Errorf("invalid node-ip %s", ip)
	}
	return &node.Config{
		DataDir: dataDir, Name: name, IP: ip,
		Labels: p.Lists["node-label"], Taints: p.Lists["node-taint"],
		KubeletArgs: p.Lists["kubelet-arg"], ProxyArgs: p.Lists["kube-proxy-arg"],
		FlannelIface: p.Texts["flannel-iface"], ResolvConf: p.Texts["resolv-conf"],
		PauseImage:            textOr(p, "pause-image", PauseImage),
		Registries:            textOr(p, "private-registry", node.RegistriesFile),
		ProtectKernelDefaults: p.Bools["protect-kernel-defaults"],
	}, nil
}

func nodeName(p *settings.Parsed) (string, error) {
	name := p.Texts["node-name"]
	if name == "" {
		host, err := os.Hostname()
		if err != nil {
			return "", err
		}
		name = host
	}
	return strings.ToLower(name), nil
}

// defaultIP returns the source address of the default route. Like K3s, it fails without such a
// route.
func defaultIP() (string, error) {
	conn, err := net.Dial("udp4", "203.0.113.1:9") // no packet is sent; the kernel picks the source address
	if err != nil {
		return "", fmt.Errorf("unable to select an IP from default routes: %w", err)
	}
	defer conn.Close()
	return conn.LocalAddr().(*net.UDPAddr).IP.String(), nil
}

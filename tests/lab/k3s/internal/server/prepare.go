package server

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sirupsen/logrus"

	"strata/tests/lab/k3s/internal/pki"
	"strata/tests/lab/k3s/internal/supervisor"
	"strata/tests/lab/k3s/internal/token"
	"strata/tests/lab/k3s/internal/tunnel"
)

func (s *instance) setCritical() error {
	p := s.parsed
	c := supervisor.Critical{
		ClusterCIDR:    firstOr(p.Lists["cluster-cidr"], "10.42.0.0/16"),
		ServiceCIDR:    firstOr(p.Lists["service-cidr"], "10.43.0.0/16"),
		ClusterDomain:  textOr(p, "cluster-domain", "cluster.local"),
		FlannelBackend: textOr(p, "flannel-backend", "vxlan"),
		EncryptSecrets: p.Bools["secrets-encryption"], DisableHelmController: p.Bools["disable-helm-controller"],
		DisableNPC: p.Bools["disable-network-policy"], DisableCCM: p.Bools["disable-cloud-controller"],
		DisableServiceLB: slices.Contains(s.disabled, "servicelb"),
	}
	dns, err := firstIP(c.ServiceCIDR, 10)
	if err != nil {
		return err
	}
	c.ClusterDNS = firstOr(p.Lists["cluster-dns"], dns.String())
	s.critical = c
	return nil
}

// firstIP returns the n-th address of a network; 0 is the network address.
func firstIP(cidr string, n int) (net.IP, error) {
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil {
		return nil, fmt.Errorf("invalid CIDR %q: %w", cidr, err)
	}
	address := prefix.Masked().Addr()
	for range n {
		address = address.Next()
	}
	return net.IP(address.AsSlice()), nil
}

// prepare gets the cluster's CAs and keys, from the server to join or from this server's disk. It
// writes the files that depend on them. It returns a client for the server to join, or nil.
func (s *instance) prepare(ctx context.Context) (*supervisor.Client, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	given := strings.TrimSpace(s.parsed.Texts["token"])
	join, err := s.bootstrap(ctx, given)
	if err != nil {
		return nil, fmt.Errorf("failed to bootstrap cluster data: %w", err)
	}
	if err := s.ensureEncryption(); err != nil {
		return nil, err
	}
	if err := s.pki.Ensure(port + 1); err != nil {
		return nil, err
	}
	password, err := s.password(given)
	if err != nil {
		return nil, err
	}
	agents, err := s.agentPassword(password)
	if err != nil {
		return nil, err
	}
	s.supervisor = &supervisor.Server{
		PKI: s.pki, LocalNode: s.node.Name, Members: s.etcd.MembersJSON,
		Tunnel:    tunnel.NewServer(s.node.Name),
		Rotate:    func(ctx context.Context, to string) error { return s.rotate(ctx, password, to) },
		Joinable:  s.parsed.Bools["cluster-init"] || s.parsed.Texts["server"] != "" || s.wasJoinable(),
		Passwords: map[string]string{"server": password, "node": agents},
		Config: supervisor.Config{
			Critical: s.critical, HTTPSPort: port, DisableKubeProxy: s.parsed.Bools["disable-kube-proxy"],
		},
	}
	s.node.Token = agents
	return join, s.writeFiles(password, agents)
}

// bootstrap fetches the CAs and keys of the cluster to join. The client is nil for a first server,
// and for a server that has been a member before: K3s then ignores --server and --cluster-init. The
// order of checks and the error texts are K3s's (k3s-io/k3s pkg/cluster/bootstrap.go): the CA's
// hash, the configuration, and finally the password.
func (s *instance) bootstrap(ctx context.Context, given string) (*supervisor.Client, error) {
	url := s.parsed.Texts["server"]
	if url == "" || s.etcd.Initialized() || s.parsed.Bools["cluster-reset"] {
		return nil, nil
	}
	const check = "failed to check if bootstrap data has been initialized"
	if given == "" {
		return nil, errors.New(check + ": token is required to join a cluster")
	}
	join, err := supervisor.Connect(ctx, url, given, "server")
	if err != nil {
		return nil, fmt.Errorf(check+": failed to validate token: %w", err)
	}
	if err := s.compareConfig(ctx, url, given); err != nil {
		return nil, fmt.Errorf("failed to validate server configuration: %w", err)
	}
	return join, s.fetchBootstrap(ctx, join)
}

func (s *instance) fetchBootstrap(ctx context.Context, join *supervisor.Client) error {
	data, err := join.Get(ctx, "/v1-k3s/server-bootstrap")
	if err != nil {
		return err
	}
	files := map[string][]byte{}
	if err := json.Unmarshal(data, &files); err != nil {
		return fmt.Errorf("read bootstrap data: %w", err)
	}
	return s.keep(files)
}

// keep writes the CAs and keys that all servers share.
func (s *instance) keep(files map[string][]byte) error {
	for _, name := range pki.Bootstrap { // use only known file names
		content, found := files[name]
		if !found {
			continue
		}
		if err := writeSecret(s.pki.Path(name), content); err != nil {
			return err
		}
	}
	return nil
}

// compareConfig compares this server's critical settings with those of the server to join. It
// authenticates like an agent, with the agents' token if there is one. A server that does not
// return its settings causes only a warning. As in K3s, the error does not name the differing
// settings; warnings do.
func (s *instance) compareConfig(ctx context.Context, url, given string) error {
	if agents := strings.TrimSpace(s.parsed.Texts["agent-token"]); agents != "" {
		given = agents
	}
	agent, err := supervisor.Connect(ctx, url, given, "node")
	if err != nil {
		return err
	}
	data, err := agent.Get(ctx, "/v1-k3s/config")
	if err != nil {
		logrus.Warnf("Skipping cluster configuration validation: %v", err)
		return nil
	}
	var theirs supervisor.Config
	if err := json.Unmarshal(data, &theirs); err != nil {
		return err
	}
	names := s.critical.Diff(theirs.Critical)
	slices.Sort(names)
	for _, name := range names {
		logrus.Warnf("critical configuration mismatched: %s", name)
	}
	if len(names) > 0 {
		return errors.New("critical configuration value mismatch between servers")
	}
	return nil
}

// password returns the servers' password: the given one, or the one on disk, or a new one.
func (s *instance) password(given string) (string, error) {
	if given == "" {
		data, readErr := os.ReadFile(filepath.Join(s.dir, "token"))
		if readErr == nil {
			given = strings.TrimSpace(string(data))
		}
	}
	if given == "" {
		raw := make([]byte, 16)
		if _, err := rand.Read(raw); err != nil {
			return "", err
		}
		given = hex.EncodeToString(raw)
	}
	parsed, err := token.Parse(given)
	if err != nil {
		return "", fmt.Errorf("failed to normalize server token; must be in format K10<CA-HASH>::<USERNAME>:<PASSWORD> or <PASSWORD>: %w", err)
	}
	return parsed.Password, parsed.CheckCA(s.pki.ServerCA.CertPEM)
}

// agentPassword returns the agents' password, or the servers' if none is given (k3s-io/k3s
// pkg/daemons/control/deps/deps.go, getNodePass).
func (s *instance) agentPassword(password string) (string, error) {
	given := strings.TrimSpace(s.parsed.Texts["agent-token"])
	if given == "" {
		return password, nil
	}
	parsed, err := token.Parse(given)
	if err != nil {
		return "", err
	}
	return parsed.Password, nil
}

// rotate replaces the servers' token. Like K3s, it writes the file token before it encrypts the
// cluster's keys with the new password. It does not change config.yaml, which belongs to the user.
func (s *instance) rotate(ctx context.Context, former, password string) error {
	full := token.Format("server", password, s.pki.ServerCA.CertPEM) + "\n"
	if err := writeSecret(filepath.Join(s.dir, "token"), []byte(full)); err != nil {
		return err
	}
	return s.etcd.Rotate(ctx, former, password)
}

// wasJoinable reports whether other servers could join this server in an earlier run. Then they
// still can, also without --cluster-init.
func (s *instance) wasJoinable() bool {
	_, err := os.Stat(s.clusteredMark())
	return err == nil
}

func (s *instance) clusteredMark() string { return filepath.Join(s.dir, "db", "clustered") }

// writeFiles writes token, node-token, agent-token and the kubeconfig. As in K3s, that happens
// before the API server is up.
func (s *instance) writeFiles(password, agents string) error {
	if s.supervisor.Joinable {
		if err := writeSecret(s.clusteredMark(), nil); err != nil {
			return err
		}
	}
	files := map[string]string{"token": token.Format("server", password, s.pki.ServerCA.CertPEM)}
	files["agent-token"] = files["token"]
	if agents != password {
		files["agent-token"] = token.Format("node", agents, s.pki.ServerCA.CertPEM)
	}
	for name, full := range files {
		if err := writeSecret(filepath.Join(s.dir, name), []byte(full+"\n")); err != nil {
			return err
		}
	}
	link := filepath.Join(s.dir, "node-token")
	if err := os.Remove(link); err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := os.Symlink(filepath.Join(s.dir, "token"), link); err != nil {
		return err
	}
	mode, err := strconv.ParseUint(textOr(s.parsed, "write-kubeconfig-mode", "0600"), 8, 32)
	if err != nil {
		return fmt.Errorf("write-kubeconfig-mode: %w", err)
	}
	return s.pki.WriteAdminKubeconfig(DefaultKubeconfig, port, os.FileMode(mode))
}

// ensureEncryption creates the key that encrypts Secrets at rest, if encryption is enabled. A
// joining server has received the key already.
func (s *instance) ensureEncryption() error {
	file := s.pki.Cred("encryption-config.json")
	if _, err := os.Stat(file); err == nil || !s.critical.EncryptSecrets {
		return nil
	}
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return err
	}
	config := map[string]any{
		"kind": "EncryptionConfiguration", "apiVersion": "apiserver.config.k8s.io/v1",
		"resources": []any{map[string]any{"resources": []string{"secrets"}, "providers": []any{
			map[string]any{"aescbc": map[string]any{"keys": []any{map[string]string{"name": "aescbckey", "secret": base64.StdEncoding.EncodeToString(key)}}}},
			map[string]any{"identity": map[string]any{}},
		}}},
	}
	data, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return writeSecret(file, data)
}

func writeSecret(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

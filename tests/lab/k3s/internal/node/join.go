package node

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sirupsen/logrus"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/keyutil"

	"strata/tests/lab/k3s/internal/pki"
	"strata/tests/lab/k3s/internal/supervisor"
)

// K3s's intervals. A node asks for its configuration again after one to two times configInterval,
// so that nodes do not ask at the same time.
const (
	connectInterval = 2 * time.Second
	configInterval  = 5 * time.Second
)

// join fetches certificates and configuration from the server. It retries until it succeeds or ctx
// ends. Log messages and levels are those of K3s: a server's rejection, even of a wrong token, is
// logged at level info (k3s-io/k3s pkg/agent/run.go, createProxyAndValidateToken, and
// pkg/agent/config/config.go, Get).
func (c *Config) join(ctx context.Context, serverURL string) error {
	for {
		pause := connectInterval
		client, err := supervisor.Connect(ctx, c.SupervisorURL, c.Token, "node")
		if err != nil {
			logrus.Errorf("Failed to validate connection to cluster at %s: %v", serverURL, err)
		} else if err = c.fetch(ctx, client); err == nil {
			return nil
		} else {
			logrus.Infof("Waiting to retrieve agent configuration; server is not ready: %v", err)
			pause = wait.Jitter(configInterval, 1)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

func (c *Config) fetch(ctx context.Context, client *supervisor.Client) error {
	if err := os.MkdirAll(c.agentPath(""), 0o700); err != nil {
		return err
	}
	data, err := client.Get(ctx, "/v1-k3s/config")
	if err != nil {
		return fmt.Errorf("failed to retrieve configuration from server: %w", err)
	}
	if err := json.Unmarshal(data, &c.cluster); err != nil {
		return fmt.Errorf("failed to retrieve configuration from server: %w", err)
	}
	for _, name := range []string{"client-ca.crt", "server-ca.crt"} {
		if data, err = client.Get(ctx, "/v1-k3s/"+name); err != nil {
			return err
		}
		if err := os.WriteFile(c.agentPath(name), data, 0o600); err != nil {
			return err
		}
	}
	if err := c.fetchCertificates(ctx, client); err != nil {
		return err
	}
	return c.writeKubeconfigs()
}

func (c *Config) fetchCertificates(ctx context.Context, client *supervisor.Client) error {
	password, err := ensurePassword()
	if err != nil {
		return err
	}
	headers := http.Header{}
	headers.Set("k3s-Node-Name", c.Name)
	headers.Set("k3s-Node-Password", password)
	headers.Set("k3s-Node-IP", c.IP)
	for _, name := range []string{"serving-kubelet", "client-kubelet", "client-kube-proxy", "client-k3s-controller"} {
		err := c.fetchCertificate(ctx, client, name, headers.Clone())
		var status *supervisor.StatusError
		if errors.As(err, &status) && status.Code == http.StatusForbidden {
			return fmt.Errorf("Node password rejected, duplicate hostname or contents of '%s' may not match server node-passwd entry, "+ //nolint:staticcheck,revive // K3s's text
				"try enabling a unique node name with the --with-node-id flag", supervisor.PasswordFile)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) fetchCertificate(ctx context.Context, client *supervisor.Client, name string, headers http.Header) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	csr, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, key)
	if err != nil {
		return err
	}
	cert, err := client.Post(ctx, "/v1-k3s/"+name+".crt", csr, headers)
	if err != nil {
		return err
	}
	keyPEM, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.agentPath(name+".key"), keyPEM, 0o600); err != nil {
		return err
	}
	return os.WriteFile(c.agentPath(name+".crt"), cert, 0o600)
}

func (c *Config) writeKubeconfigs() error {
	for file, cert := range map[string]string{
		"kubelet": "client-kubelet", "kubeproxy": "client-kube-proxy", "k3scontroller": "client-k3s-controller",
	} {
		err := pki.WriteKubeconfig(c.agentPath(file+".kubeconfig"), c.APIURL,
			c.agentPath("server-ca.crt"), c.agentPath(cert+".crt"), c.agentPath(cert+".key"))
		if err != nil {
			return err
		}
	}
	return nil
}

func ensurePassword() (string, error) {
	data, err := os.ReadFile(supervisor.PasswordFile)
	if err == nil {
		return strings.TrimSpace(string(data)), nil
	}
	if !os.IsNotExist(err) {
		return "", err
	}
	raw := make([]byte, 16)
	if _, err := rand.Read(raw); err != nil {
		return "", err
	}
	password := hex.EncodeToString(raw)
	if err := os.MkdirAll(filepath.Dir(supervisor.PasswordFile), 0o755); err != nil {
		return "", err
	}
	return password, os.WriteFile(supervisor.PasswordFile, []byte(password+"\n"), 0o600)
}

package control

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"github.com/sirupsen/logrus"
	"github.com/spf13/pflag"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"

	"strata/tests/lab/k3s/internal/tunnel"
)

// advertised is the API server's listener on 127.0.0.1. While the API server's configuration is
// built, Addr returns the real address, because the loopback client uses it. Afterwards, Addr
// returns the supervisor's port, because the API server writes this port into the endpoints of the
// kubernetes Service. K3s patches Kubernetes for this (--advertise-port).
type advertised struct {
	net.Listener
	port atomic.Int32
}

func (a *advertised) Addr() net.Addr {
	if port := a.port.Load(); port != 0 {
		return &net.TCPAddr{IP: net.IPv4zero, Port: int(port)}
	}
	return a.Listener.Addr()
}

// StartAPIServer builds the API server, passes its handler to publish, and runs it in the
// background. It returns once the server is built. A later failure ends the process.
func (p *Plane) StartAPIServer(ctx context.Context, publish func(http.Handler)) error {
	c := p.config
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(c.Port+1)))
	if err != nil {
		return err
	}
	claimed := &advertised{Listener: listener}
	opts, err := apiOptions(ctx, c, claimed)
	if err != nil {
		return fmt.Errorf("kube-apiserver: %w", err)
	}
	config, err := app.NewConfig(opts)
	if err != nil {
		return fmt.Errorf("kube-apiserver: %w", err)
	}
	claimed.port.Store(int32(c.Port))
	completed, err := config.Complete()
	if err != nil {
		return fmt.Errorf("kube-apiserver: %w", err)
	}
	server, err := app.CreateServerChain(completed)
	if err != nil {
		return fmt.Errorf("kube-apiserver: %w", err)
	}
	prepared, err := server.PrepareRun()
	if err != nil {
		return fmt.Errorf("kube-apiserver: %w", err)
	}
	publish(server.GenericAPIServer.Handler)
	go func() {
		if err := prepared.Run(ctx); ctx.Err() == nil {
			logrus.Fatalf("apiserver exited: %v", err)
		}
	}()
	return nil
}

func apiOptions(ctx context.Context, c Config, listener net.Listener) (options.CompletedOptions, error) {
	s := options.NewServerRunOptions()
	flags := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	named := s.Flags()
	for _, set := range named.FlagSets {
		flags.AddFlagSet(set)
	}
	if err := writeEgress(c); err != nil {
		return options.CompletedOptions{}, err
	}
	args := merge(apiDefaults(c), c.APIServerArgs)
	logrus.Infof("Running kube-apiserver %v", args)
	if err := flags.Parse(args); err != nil {
		return options.CompletedOptions{}, err
	}
	s.SecureServing.Listener = listener
	if err := s.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return options.CompletedOptions{}, err
	}
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	completed, err := s.Complete(ctx)
	if err != nil {
		return completed, err
	}
	return completed, utilerrors.NewAggregate(completed.Validate())
}

// egressFile returns the path of the egress selector configuration, which makes the API server dial
// through the supervisor. K3s uses the same path.
func egressFile(c Config) string {
	return filepath.Join(c.PKI.Dir, "etc", "egress-selector-config.yaml")
}

func writeEgress(c Config) error {
	url, client := fmt.Sprintf("https://127.0.0.1:%d", c.Port), c.PKI.Path("client-kube-apiserver")
	return tunnel.WriteEgress(egressFile(c), url, c.PKI.Path("server-ca.crt"), client+".crt", client+".key")
}

// apiDefaults returns kube-apiserver's arguments, as in k3s-io/k3s pkg/daemons/control/server.go,
// apiServer.
func apiDefaults(c Config) map[string]string {
	tls, issuer := c.PKI.Path, "https://kubernetes.default.svc."+c.Domain
	args := map[string]string{
		"advertise-address":                  c.NodeIP,
		"allow-privileged":                   "true",
		"anonymous-auth":                     "false",
		"api-audiences":                      issuer + ",k3s",
		"authorization-mode":                 "Node,RBAC",
		"bind-address":                       "127.0.0.1",
		"cert-dir":                           tls("temporary-certs"),
		"client-ca-file":                     tls("client-ca.crt"),
		"egress-selector-config-file":        egressFile(c),
		"enable-admission-plugins":           "NodeRestriction",
		"enable-aggregator-routing":          "true",
		"enable-bootstrap-token-auth":        "true",
		"etcd-cafile":                        tls("etcd/server-ca.crt"),
		"etcd-certfile":                      tls("etcd/client.crt"),
		"etcd-keyfile":                       tls("etcd/client.key"),
		"etcd-servers":                       c.EtcdEndpoint,
		"kubelet-certificate-authority":      tls("server-ca.crt"),
		"kubelet-client-certificate":         tls("client-kube-apiserver.crt"),
		"kubelet-client-key":                 tls("client-kube-apiserver.key"),
		"kubelet-preferred-address-types":    "InternalIP,ExternalIP,Hostname",
		"profiling":                          "false",
		"proxy-client-cert-file":             tls("client-auth-proxy.crt"),
		"proxy-client-key-file":              tls("client-auth-proxy.key"),
		"requestheader-allowed-names":        "system:auth-proxy",
		"requestheader-client-ca-file":       tls("request-header-ca.crt"),
		"requestheader-extra-headers-prefix": "X-Remote-Extra-",
		"requestheader-group-headers":        "X-Remote-Group",
		"requestheader-username-headers":     "X-Remote-User",
		"service-account-issuer":             issuer,
		"service-account-key-file":           tls("service.key"),
		"service-account-signing-key-file":   tls("service.key"),
		"service-cluster-ip-range":           c.ServiceCIDR,
		"service-node-port-range":            c.NodePorts,
		"storage-backend":                    "etcd3",
		"tls-cert-file":                      tls("serving-kube-apiserver.crt"),
		"tls-private-key-file":               tls("serving-kube-apiserver.key"),
	}
	if c.EncryptSecrets {
		args["encryption-provider-config"] = c.PKI.Cred("encryption-config.json")
	}
	return args
}

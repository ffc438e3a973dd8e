package tunnel

import (
	"context"
	"net"
	"slices"
	"time"

	"github.com/gorilla/websocket"
	"github.com/rancher/remotedialer"
	"github.com/sirupsen/logrus"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// retryInterval is K3s's time between two attempts to connect to a server.
const retryInterval = time.Second

// Agent keeps a connection to each server. Over it, the server may dial only the kubelet
// (k3s-io/k3s pkg/agent/tunnel/tunnel.go).
type Agent struct {
	// Kubelet is the only address that a server may dial.
	Kubelet string

	dialer *websocket.Dialer
	stop   map[string]context.CancelFunc
}

// NewAgent returns an Agent that authenticates with the kubelet's kubeconfig.
func NewAgent(kubeconfig string) (*Agent, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	tls, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, err
	}
	return &Agent{
		Kubelet: net.JoinHostPort(loopback, "10250"),
		dialer:  &websocket.Dialer{TLSClientConfig: tls, HandshakeTimeout: remotedialer.HandshakeTimeOut},
		stop:    map[string]context.CancelFunc{},
	}, nil
}

// Follow connects to the servers (host:port) in the background, and closes connections to others.
func (a *Agent) Follow(ctx context.Context, servers []string) {
	for _, address := range servers {
		if a.stop[address] == nil {
			connection, stop := context.WithCancel(ctx)
			a.stop[address] = stop
			go a.connect(connection, "wss://"+address+"/v1-k3s/connect")
		}
	}
	for address, stop := range a.stop {
		if !slices.Contains(servers, address) {
			logrus.Infof("Stopped tunnel to %s", address)
			stop()
			delete(a.stop, address)
		}
	}
}

// connect keeps a connection open until ctx ends.
func (a *Agent) connect(ctx context.Context, url string) {
	allowed := func(proto, address string) bool { return proto == "tcp" && address == a.Kubelet }
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		err := remotedialer.ConnectToProxy(ctx, url, nil, allowed, a.dialer, nil)
		if ctx.Err() == nil {
			logrus.WithField("url", url).WithError(err).Error("Remotedialer proxy error; reconnecting...")
		}
	}, retryInterval)
}

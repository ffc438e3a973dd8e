package apiserver

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"
)

// Forward forwards a port of this machine's loopback, through the API server and a kubelet, to a
// port of a Pod. It returns the local port's number and the function that stops the forwarding. The
// Pod sees a connection from its own loopback, so that no network policy applies, and no proxy sees
// the traffic.
func Forward(ctx context.Context, config *rest.Config, namespace, pod string, port int) (uint16,
	func(), error) {
	transport, upgrader, err := spdy.RoundTripperFor(config)
	if err != nil {
		return 0, nil, err
	}
	address, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return 0, nil, err
	}
	address = address.JoinPath("api/v1/namespaces", namespace, "pods", pod, "portforward")
	dialer := spdy.NewDialer(upgrader, &http.Client{Transport: transport}, http.MethodPost, address)
	stop, ready, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	forwarder, err := portforward.NewOnAddresses(dialer, []string{"127.0.0.1"},
		[]string{fmt.Sprintf("0:%d", port)}, stop, ready, io.Discard, io.Discard)
	if err != nil {
		return 0, nil, err
	}
	go func() { ended <- forwarder.ForwardPorts() }()
	select {
	case <-ready:
	case err := <-ended:
		return 0, nil, err
	case <-ctx.Done():
		close(stop)
		return 0, nil, ctx.Err()
	}
	ports, err := forwarder.GetPorts()
	if err != nil {
		close(stop)
		return 0, nil, err
	}
	return ports[0].Local, func() { close(stop) }, nil
}

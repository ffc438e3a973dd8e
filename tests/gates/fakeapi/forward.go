package fakeapi

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"
)

// Listen makes a Pod answer on every forwarded port, through streams like those of a kubelet
// (k8s.io/kubelet pkg/cri/streaming/portforward).
func (c *Cluster) Listen(namespace, pod string, handler http.Handler) {
	server := httptest.NewServer(handler)
	c.t.Cleanup(server.Close)
	c.Raw("/api/v1/namespaces/"+namespace+"/pods/"+pod+"/portforward",
		func(w http.ResponseWriter, r *http.Request) {
			if _, err := httpstream.Handshake(r, w, []string{"portforward.k8s.io"}); err != nil {
				return
			}
			streams := make(chan httpstream.Stream, 16)
			connection := spdy.NewResponseUpgrader().
				UpgradeResponse(w, r, func(stream httpstream.Stream, _ <-chan struct{}) error {
					streams <- stream
					return nil
				})
			if connection == nil {
				return
			}
			defer connection.Close() //nolint:errcheck // the other side may be gone
			for {
				select {
				case <-connection.CloseChan():
					return
				case stream := <-streams:
					if stream.Headers().Get(corev1.StreamType) == corev1.StreamTypeData {
						go join(stream, server.Listener.Addr().String())
					} else {
						_ = stream.Close() // no error
					}
				}
			}
		})
}

// join copies bytes in both directions until one side ends.
func join(stream httpstream.Stream, address string) {
	defer stream.Reset() //nolint:errcheck // it may be over
	target, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer target.Close() //nolint:errcheck // it may be over
	go func() {
		_, _ = io.Copy(target, stream)
		_ = target.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(stream, target)
}

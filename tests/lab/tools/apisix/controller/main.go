// Command controller stands in for APISIX's ingress controller 2.x, and, as `server`, for the ADC server beside it. The README says what
// it keeps of the originals.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"strata/tests/lab/tools/apisix/delays"
)

// The ports of the official image and chart.
const (
	portMetrics, portProbes, portWebhook, portADC = ":8080", ":8081", ":9443", ":3001"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	var err error
	if len(os.Args) > 1 && os.Args[1] == "server" {
		err = serve(ctx, portADC, alive(nil)) // the controller sends by itself, so there is nothing to translate
	} else {
		err = run(ctx)
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "apisix-ingress-controller:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	config, err := rest.InClusterConfig()
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 50, 100
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	served, err := detect(config)
	if err != nil {
		return err
	}
	ready := make(chan struct{})
	var once sync.Once
	ended := make(chan error, 4)
	go func() { ended <- serve(ctx, portMetrics, alive(nil)) }()
	// Ready is a ping: it says nothing of the webhook, or of what the controller looks at.
	go func() { ended <- serve(ctx, portProbes, alive(func() { once.Do(func() { close(ready) }) })) }()
	c := newController(client, served)
	go func() { ended <- c.run(ctx) }()
	go func() {
		select {
		case <-ctx.Done():
			return
		case <-ready:
		}
		time.Sleep(delays.Webhook())
		fmt.Println("webhook: listening on", portWebhook)
		ended <- serveTLS(ctx, portWebhook, c.webhook(), "/certs/tls.crt", "/certs/tls.key")
	}()
	return <-ended
}

// detect is which of the kinds that it reads are served. It asks once: what comes later is not looked at until a restart.
func detect(config *rest.Config) ([]kind, error) {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	var found []kind
	for _, one := range kinds {
		list, err := client.ServerResourcesForGroupVersion(one.resource.GroupVersion().String())
		if err == nil && slices.ContainsFunc(list.APIResources, func(r resourceName) bool { return r.Name == one.resource.Resource }) {
			found = append(found, one)
			continue
		}
		fmt.Printf("manager: %s is not served, skipping its controller\n", one.resource.GroupResource())
	}
	return found, nil
}

// alive answers every probe; asked is told of those of readiness.
func alive(asked func()) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked != nil && r.URL.Path == "/readyz" {
			asked()
		}
		_, _ = fmt.Fprintln(w, "ok")
	})
}

func serve(ctx context.Context, address string, handler http.Handler) error {
	return listen(ctx, address, handler, (*http.Server).ListenAndServe)
}

func serveTLS(ctx context.Context, address string, handler http.Handler, cert, key string) error {
	return listen(ctx, address, handler, func(s *http.Server) error { return s.ListenAndServeTLS(cert, key) })
}

func listen(ctx context.Context, address string, handler http.Handler, listen func(*http.Server) error) error {
	server := &http.Server{Addr: address, Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := listen(server); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("%s: %w", address, err)
	}
	return nil
}

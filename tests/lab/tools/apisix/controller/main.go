// Command controller stands in for APISIX's ingress controller 2.x. As `controller server`, it
// stands in for the ADC server in the same Pod. The README lists the upstream behaviour that the
// command has.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"sigs.k8s.io/yaml"

	"strata/tests/lab/tools/apisix/adc"
	"strata/tests/lab/tools/apisix/delays"
)

// Ports of the official image and chart.
const (
	portMetrics, portProbes, portWebhook = ":8080", ":8081", ":9443"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	var err error
	if len(os.Args) > 1 && os.Args[1] == "server" {
		err = serveADC(ctx, os.Args[2:])
	} else {
		err = run(ctx)
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "apisix-ingress-controller:", err)
		os.Exit(1)
	}
}

// serveADC implements `adc server --listen unix:PATH --listen-status PORT`.
func serveADC(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	at, status := flags.String("listen", "unix:/sockets/adc.sock", "where the controller asks"),
		flags.Int("listen-status", 3001, "where kubelet asks")
	if err := flags.Parse(args); err != nil {
		return err
	}
	path := strings.TrimPrefix(*at, "unix:")
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	ended := make(chan error, 2)
	go func() { ended <- serve(ctx, ":"+strconv.Itoa(*status), alive(nil)) }()
	go func() {
		ended <- listen(ctx, path, adc.Handler(), func(s *http.Server) error {
			socket, err := net.Listen("unix", path)
			if err != nil {
				return err
			}
			if err := os.Chmod(path, 0o660); err != nil { //nolint:gosec // as in upstream: the group is the Pod's
				return err
			}
			return s.Serve(socket)
		})
	}()
	return <-ended
}

// settings has the fields of the configuration file that the stand-in reads.
type settings struct {
	PortMatch string `json:"listener_port_match_mode"`
}

func readSettings(path string) (read settings, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return read, err
	}
	return read, yaml.Unmarshal(text, &read)
}

func run(ctx context.Context) error {
	known, err := readSettings("/app/conf/config.yaml")
	if err != nil {
		return err
	}
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
	// Readiness is only a ping. It covers neither the webhook nor the watches.
	go func() { ended <- serve(ctx, portProbes, alive(func() { once.Do(func() { close(ready) }) })) }()
	c := newController(client, served)
	c.portMatch, c.sidecar = known.PortMatch, socket(os.Getenv("ADC_SERVER_URL"))
	go func() { ended <- c.run(ctx) }()
	go func() {
		select {
		case <-ctx.Done():
			return
		case <-ready:
		}
		time.Sleep(delays.Webhook())
		c.held(ctx)
		fmt.Println("webhook: listening on", portWebhook)
		ended <- serveTLS(ctx, portWebhook, c.webhook(), "/certs/tls.crt", "/certs/tls.key")
	}()
	return <-ended
}

// detect returns the kinds that the API server serves. It runs once, so kinds that are added later
// are ignored until a restart.
func detect(config *rest.Config) ([]kind, error) {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	var found []kind
	for _, one := range kinds {
		list, err := client.ServerResourcesForGroupVersion(one.resource.GroupVersion().String())
		if err == nil && slices.ContainsFunc(list.APIResources,
			func(r resourceName) bool { return r.Name == one.resource.Resource }) {
			found = append(found, one)
			continue
		}
		fmt.Printf("manager: %s is not served, skipping its controller\n", one.resource.GroupResource())
	}
	return found, nil
}

// alive returns a handler that responds to every probe with 200. It calls asked, if not nil, at
// each readiness probe.
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

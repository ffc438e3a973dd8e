package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/util/sets"

	config "github.com/cert-manager/cert-manager/internal/apis/config/controller"
	known "github.com/cert-manager/cert-manager/internal/apis/config/controller/v1alpha1"
	"github.com/cert-manager/cert-manager/internal/controller/feature"
	"github.com/cert-manager/cert-manager/pkg/controller"
	shimgateway "github.com/cert-manager/cert-manager/pkg/controller/certificate-shim/gateways"
	"github.com/cert-manager/cert-manager/pkg/healthz"
	utilfeature "github.com/cert-manager/cert-manager/pkg/util/feature"

	_ "github.com/cert-manager/cert-manager/pkg/issuer/acme"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/ca"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/vault"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/venafi"
)

// run starts the servers for metrics and health checks, waits until this instance leads, and runs
// the controllers, as the upstream command does.
func run(ctx context.Context, c *config.ControllerConfiguration) error {
	if c.EnablePprof || c.MetricsTLSConfig.FilesystemConfigProvided() || c.MetricsTLSConfig.DynamicConfigProvided() {
		return errors.New("the lab's controller has no profiling and no TLS for metrics")
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	group, ctx := errgroup.WithContext(ctx)
	contexts, err := contexts(ctx, c)
	if err != nil {
		return err
	}
	shared, err := contexts.Build()
	if err != nil {
		return err
	}
	if err := serveMetrics(ctx, group, shared, c.MetricsListenAddress); err != nil {
		return err
	}
	health := healthz.NewServer(c.LeaderElectionConfig.HealthzTimeout)
	listener, err := net.Listen("tcp", c.HealthzListenAddress)
	if err != nil {
		return fmt.Errorf("listening for health checks: %w", err)
	}
	group.Go(func() error { return health.Start(ctx, listener) })
	elected := make(chan struct{})
	if c.LeaderElectionConfig.Enabled {
		group.Go(func() error { return lead(ctx, c, contexts, health.LeaderHealthzAdaptor, elected) })
	} else {
		close(elected)
	}
	select {
	case <-ctx.Done():
		return group.Wait()
	case <-elected:
	}
	if err := start(ctx, group, c, contexts); err != nil {
		stop()
		return errors.Join(err, group.Wait())
	}
	return watch(ctx, group, c, shared)
}

// serveMetrics serves /metrics in the background until ctx ends.
func serveMetrics(ctx context.Context, group *errgroup.Group, shared *controller.Context, address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("listening for metrics: %w", err)
	}
	shared.Metrics.SetupACMECollector(shared.SharedInformerFactory.Acme().V1().Challenges().Lister())
	shared.Metrics.SetupCertificateCollector(shared.SharedInformerFactory.Certmanager().V1().Certificates().Lister())
	server := shared.Metrics.NewServer(listener)
	group.Go(func() error {
		<-ctx.Done()
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		return server.Shutdown(end)
	})
	group.Go(func() error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	return nil
}

// start starts the enabled controllers.
func start(ctx context.Context, group *errgroup.Group, c *config.ControllerConfiguration,
	contexts *controller.ContextFactory) error {
	on := enabled(c)
	for name, build := range controller.Known() {
		if !on.Has(name) {
			continue
		}
		one, err := build(contexts)
		if err != nil {
			return fmt.Errorf("starting controller %s: %w", name, err)
		}
		group.Go(func() error { return one.Run(c.NumberOfConcurrentWorkers, ctx) })
	}
	return nil
}

// watch starts the informers, waits until the controllers end, and stops the informers.
func watch(ctx context.Context, group *errgroup.Group, c *config.ControllerConfiguration,
	shared *controller.Context) error {
	type informers interface {
		Start(<-chan struct{})
		Shutdown()
	}
	all := []informers{shared.SharedInformerFactory, shared.KubeSharedInformerFactory,
		shared.HTTP01ResourceMetadataInformersFactory}
	if gateways(c) {
		all = append(all, shared.GWShared)
	}
	for _, one := range all {
		one.Start(ctx.Done())
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("controllers: %w", err)
	}
	for _, one := range all {
		one.Shutdown()
	}
	return nil
}

func gateways(c *config.ControllerConfiguration) bool {
	return utilfeature.DefaultFeatureGate.Enabled(feature.ExperimentalGatewayAPISupport) && c.EnableGatewayAPI
}

// enabled returns the names of the controllers to run, as upstream's options.EnabledControllers
// does.
func enabled(c *config.ControllerConfiguration) sets.Set[string] {
	on, off := sets.New[string](), sets.New[string]()
	for _, name := range c.Controllers {
		switch {
		case name == "*":
			on.Insert(known.DefaultEnabledControllers...)
		case name[:1] == "-":
			off.Insert(name[1:])
		default:
			on.Insert(name)
		}
	}
	if len(on) == 0 {
		on.Insert(known.DefaultEnabledControllers...)
	}
	if utilfeature.DefaultFeatureGate.Enabled(feature.ExperimentalCertificateSigningRequestControllers) {
		on.Insert(known.ExperimentalCertificateSigningRequestControllers...)
	}
	if gateways(c) {
		on.Insert(shimgateway.ControllerName)
	}
	if c.Namespace != "" {
		on.Delete(known.ClusterScopedControllers...)
	}
	return on.Difference(off)
}

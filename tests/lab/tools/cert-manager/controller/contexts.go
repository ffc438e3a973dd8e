package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	config "github.com/cert-manager/cert-manager/internal/apis/config/controller"
	"github.com/cert-manager/cert-manager/pkg/controller"
	dnsutil "github.com/cert-manager/cert-manager/pkg/issuer/acme/dns/util"
)

// contexts creates the factory of the controllers' contexts.
func contexts(ctx context.Context, c *config.ControllerConfiguration) (*controller.ContextFactory, error) {
	acme, err := acmeOptions(c)
	if err != nil {
		return nil, err
	}
	return controller.NewContextFactory(ctx, controller.ContextOptions{
		Kubeconfig: c.KubeConfig, KubernetesAPIQPS: c.KubernetesAPIQPS, KubernetesAPIBurst: c.KubernetesAPIBurst,
		APIServerHost: c.APIServerHost, Namespace: c.Namespace,
		ACMEOptions:      acme,
		SchedulerOptions: controller.SchedulerOptions{MaxConcurrentChallenges: c.MaxConcurrentChallenges},
		IssuerOptions: controller.IssuerOptions{
			ClusterIssuerAmbientCredentials: c.ClusterIssuerAmbientCredentials,
			IssuerAmbientCredentials:        c.IssuerAmbientCredentials,
			ClusterResourceNamespace:        c.ClusterResourceNamespace,
		},
		IngressShimOptions: controller.IngressShimOptions{
			DefaultIssuerName:                 c.IngressShimConfig.DefaultIssuerName,
			DefaultIssuerKind:                 c.IngressShimConfig.DefaultIssuerKind,
			DefaultIssuerGroup:                c.IngressShimConfig.DefaultIssuerGroup,
			DefaultAutoCertificateAnnotations: c.IngressShimConfig.DefaultAutoCertificateAnnotations,
			ExtraCertificateAnnotations:       c.IngressShimConfig.ExtraCertificateAnnotations,
		},
		CertificateOptions: controller.CertificateOptions{
			EnableOwnerRef: c.EnableCertificateOwnerRef, CopiedAnnotationPrefixes: c.CopiedAnnotationPrefixes,
			CertificateRequestMinimumBackoffDuration: c.CertificateRequestMinimumBackoffDuration,
			CertificateRequestMaximumBackoffDuration: c.CertificateRequestMaximumBackoffDuration,
		},
		ConfigOptions: controller.ConfigOptions{EnableGatewayAPI: c.EnableGatewayAPI,
			EnableGatewayAPIListenerSet: c.EnableGatewayAPIListenerSet},
	})
}

// acmeOptions returns the controllers' options for ACME.
func acmeOptions(c *config.ControllerConfiguration) (controller.ACMEOptions, error) {
	solver := c.ACMEHTTP01Config
	options := controller.ACMEOptions{
		ACMEHTTP01SolverRunAsNonRoot: solver.SolverRunAsNonRoot,
		HTTP01SolverImage:            solver.SolverImage,
		HTTP01SolverNameservers:      solver.SolverNameservers,
		HTTP01SolverRuntimeClassName: solver.SolverRuntimeClassName,
		HTTP01SolverExtraLabels:      solver.SolverExtraLabels,
		DNS01Nameservers:             c.ACMEDNS01Config.RecursiveNameservers,
		DNS01CheckRetryPeriod:        c.ACMEDNS01Config.CheckRetryPeriod,
		DNS01CheckAuthoritative:      !c.ACMEDNS01Config.RecursiveNameserversOnly,
	}
	if len(options.DNS01Nameservers) == 0 {
		options.DNS01Nameservers = dnsutil.RecursiveNameservers
	}
	for _, one := range []struct {
		text string
		to   *resource.Quantity
	}{
		{solver.SolverResourceRequestCPU, &options.HTTP01SolverResourceRequestCPU},
		{solver.SolverResourceRequestMemory, &options.HTTP01SolverResourceRequestMemory},
		{solver.SolverResourceLimitsCPU, &options.HTTP01SolverResourceLimitsCPU},
		{solver.SolverResourceLimitsMemory, &options.HTTP01SolverResourceLimitsMemory},
	} {
		quantity, err := resource.ParseQuantity(one.text)
		if err != nil {
			return options, fmt.Errorf("the solver's resources: %w", err)
		}
		*one.to = quantity
	}
	return options, nil
}

// lead takes part in the leader election until ctx ends. It closes elected once this instance
// leads. It fails if the lease is lost.
func lead(
	ctx context.Context, c *config.ControllerConfiguration, contexts *controller.ContextFactory,
	health *leaderelection.HealthzAdaptor, elected chan<- struct{},
) error {
	own, err := contexts.Build("leader-election")
	if err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("leader election: %w", err)
	}
	lock, err := resourcelock.New(resourcelock.LeasesResourceLock, c.LeaderElectionConfig.Namespace,
		"cert-manager-controller",
		own.Client.CoreV1(), own.Client.CoordinationV1(),
		resourcelock.ResourceLockConfig{Identity: host + "-external-cert-manager-controller",
			EventRecorder: own.Recorder})
	if err != nil {
		return fmt.Errorf("leader election: %w", err)
	}
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock:            lock,
		LeaseDuration:   c.LeaderElectionConfig.LeaseDuration,
		RenewDeadline:   c.LeaderElectionConfig.RenewDeadline,
		RetryPeriod:     c.LeaderElectionConfig.RetryPeriod,
		ReleaseOnCancel: true, WatchDog: health,
		Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) {
			close(elected)
		}, OnStoppedLeading: func() {}},
	})
	if err != nil {
		return fmt.Errorf("leader election: %w", err)
	}
	if elector.Run(ctx); ctx.Err() == nil {
		return errors.New("leader election lost")
	}
	return nil
}

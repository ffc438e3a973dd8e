// Command controller is cert-manager's controller. It has only the upstream flags that the chart
// sets. The configuration file may set everything except profiling and TLS for metrics.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"
	logsapi "k8s.io/component-base/logs/api/v1"

	config "github.com/cert-manager/cert-manager/internal/apis/config/controller"
	configscheme "github.com/cert-manager/cert-manager/internal/apis/config/controller/scheme"
	"github.com/cert-manager/cert-manager/internal/apis/config/controller/validation"
	"github.com/cert-manager/cert-manager/lab/command"
	configv1alpha1 "github.com/cert-manager/cert-manager/pkg/apis/config/controller/v1alpha1"
	controllerfile "github.com/cert-manager/cert-manager/pkg/controller/configfile"
	logf "github.com/cert-manager/cert-manager/pkg/logs"
	"github.com/cert-manager/cert-manager/pkg/util/configfile"
)

func main() {
	defaults, err := defaults()
	if err != nil {
		fmt.Fprintln(os.Stderr, "controller: defaults:", err)
		os.Exit(1)
	}
	command.Command[config.ControllerConfiguration]{
		Name: "controller", Config: defaults, Flags: flags,
		Validate: validation.ValidateControllerConfiguration, Run: run,
		File: func() (configfile.ConfigFile, func() *config.ControllerConfiguration) {
			file := controllerfile.New()
			return file, func() *config.ControllerConfiguration { return file.Config }
		},
		Gates:   func(c *config.ControllerConfiguration) map[string]bool { return c.FeatureGates },
		Logging: func(c *config.ControllerConfiguration) *logsapi.LoggingConfiguration { return &c.Logging },
	}.Main()
}

func defaults() (*config.ControllerConfiguration, error) {
	scheme, _, err := configscheme.NewSchemeAndCodecs()
	if err != nil {
		return nil, err
	}
	written, read := &configv1alpha1.ControllerConfiguration{}, &config.ControllerConfiguration{}
	scheme.Default(written)
	return read, scheme.Convert(written, read, nil)
}

func flags(set *pflag.FlagSet, c *config.ControllerConfiguration) {
	set.StringVar(&c.Namespace, "namespace", c.Namespace, "the only namespace to look at")
	set.StringVar(&c.ClusterResourceNamespace, "cluster-resource-namespace",
		c.ClusterResourceNamespace, "where what belongs to ClusterIssuers is")
	set.StringSliceVar(&c.Controllers, "controllers", c.Controllers, "those to run: *, NAME, -NAME")
	set.IntVar(&c.MaxConcurrentChallenges, "max-concurrent-challenges", c.MaxConcurrentChallenges,
		"how many ACME challenges are open at once")
	set.StringVar(&c.ACMEHTTP01Config.SolverImage, "acme-http01-solver-image",
		c.ACMEHTTP01Config.SolverImage, "image of the solver's Pods")
	set.BoolVar(&c.EnableCertificateOwnerRef, "enable-certificate-owner-ref",
		c.EnableCertificateOwnerRef, "whether Certificates own Secrets")
	set.BoolVar(&c.EnableGatewayAPI, "enable-gateway-api", c.EnableGatewayAPI, "whether Gateways get certificates")
	set.StringSliceVar(&c.ACMEDNS01Config.RecursiveNameservers, "dns01-recursive-nameservers",
		c.ACMEDNS01Config.RecursiveNameservers, "HOST:PORT")
	set.BoolVar(&c.ACMEDNS01Config.RecursiveNameserversOnly, "dns01-recursive-nameservers-only",
		c.ACMEDNS01Config.RecursiveNameserversOnly, "ask no others")
	shim := &c.IngressShimConfig
	set.StringVar(&shim.DefaultIssuerName, "default-issuer-name", shim.DefaultIssuerName,
		"issuer of an Ingress that names none")
	set.StringVar(&shim.DefaultIssuerKind, "default-issuer-kind", shim.DefaultIssuerKind, "its kind")
	set.StringVar(&shim.DefaultIssuerGroup, "default-issuer-group", shim.DefaultIssuerGroup, "its group")
	command.LeaderFlags(set, &c.LeaderElectionConfig.LeaderElectionConfig)
	command.GateFlags(set, &c.FeatureGates)
	logf.AddFlags(&c.Logging, set)
}

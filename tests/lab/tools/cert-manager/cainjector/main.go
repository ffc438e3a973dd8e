// Command cainjector is cert-manager's CA injector. It has only the upstream flags that the chart
// sets. The configuration file may set everything except profiling and TLS for metrics.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"
	logsapi "k8s.io/component-base/logs/api/v1"

	config "github.com/cert-manager/cert-manager/internal/apis/config/cainjector"
	configscheme "github.com/cert-manager/cert-manager/internal/apis/config/cainjector/scheme"
	"github.com/cert-manager/cert-manager/internal/apis/config/cainjector/validation"
	"github.com/cert-manager/cert-manager/lab/command"
	configv1alpha1 "github.com/cert-manager/cert-manager/pkg/apis/config/cainjector/v1alpha1"
	cainjectorfile "github.com/cert-manager/cert-manager/pkg/cainjector/configfile"
	logf "github.com/cert-manager/cert-manager/pkg/logs"
	"github.com/cert-manager/cert-manager/pkg/util/configfile"
)

func main() {
	defaults, err := defaults()
	if err != nil {
		fmt.Fprintln(os.Stderr, "cainjector: defaults:", err)
		os.Exit(1)
	}
	command.Command[config.CAInjectorConfiguration]{
		Name: "cainjector", Config: defaults, Flags: flags,
		Validate: validation.ValidateCAInjectorConfiguration, Run: run,
		File: func() (configfile.ConfigFile, func() *config.CAInjectorConfiguration) {
			file := cainjectorfile.New()
			return file, func() *config.CAInjectorConfiguration { return file.Config }
		},
		Gates:   func(c *config.CAInjectorConfiguration) map[string]bool { return c.FeatureGates },
		Logging: func(c *config.CAInjectorConfiguration) *logsapi.LoggingConfiguration { return &c.Logging },
	}.Main()
}

func defaults() (*config.CAInjectorConfiguration, error) {
	scheme, _, err := configscheme.NewSchemeAndCodecs()
	if err != nil {
		return nil, err
	}
	written, read := &configv1alpha1.CAInjectorConfiguration{}, &config.CAInjectorConfiguration{}
	scheme.Default(written)
	return read, scheme.Convert(written, read, nil)
}

func flags(set *pflag.FlagSet, c *config.CAInjectorConfiguration) {
	set.StringVar(&c.Namespace, "namespace", c.Namespace, "the only namespace to look at")
	command.LeaderFlags(set, &c.LeaderElectionConfig)
	command.GateFlags(set, &c.FeatureGates)
	logf.AddFlags(&c.Logging, set)
}

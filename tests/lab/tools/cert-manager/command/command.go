// Package command has the common parts of the lab's cert-manager commands. cert-manager's own
// commands are in Go modules that are not published. The lab's commands accept the flags that the
// chart sets, and the whole configuration file. This module's path is below cert-manager's, because
// the commands import cert-manager's internal packages.
package command

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation/field"
	logsapi "k8s.io/component-base/logs/api/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cert-manager/cert-manager/internal/cmd/util"
	logf "github.com/cert-manager/cert-manager/pkg/logs"
	"github.com/cert-manager/cert-manager/pkg/util/configfile"
	utilfeature "github.com/cert-manager/cert-manager/pkg/util/feature"
)

// Command describes a command with a configuration of type C.
type Command[C any] struct {
	// Name is the command's name.
	Name string
	// Config has the defaults. The configuration file and flags override them.
	Config *C
	// Flags adds the flags that set fields of the configuration.
	Flags func(*pflag.FlagSet, *C)
	// File returns a configuration file to load, and a function that returns its content.
	File func() (configfile.ConfigFile, func() *C)
	// Validate returns the mistakes in a configuration.
	Validate func(*C, *field.Path) field.ErrorList
	// Gates returns the feature gates that a configuration sets.
	Gates func(*C) map[string]bool
	// Logging returns the logging section of a configuration.
	Logging func(*C) *logsapi.LoggingConfiguration
	// Run runs the command until the context ends.
	Run func(context.Context, *C) error
}

// Main runs the command with the process's arguments until it ends or a signal stops it. After an
// error, the process exits with a code other than 0.
func (c Command[C]) Main() {
	ctx, exit := util.SetupExitHandler(context.Background(), util.GracefulShutdown)
	defer exit() // exit may call os.Exit
	logf.InitLogs()
	defer logf.FlushLogs()
	ctrl.SetLogger(logf.Log)
	ctx = logf.NewContext(ctx, logf.Log, c.Name)
	var path string
	root := &cobra.Command{
		Use: c.Name, SilenceErrors: true, SilenceUsage: true,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := c.load(command, path); err != nil {
				return err
			}
			return c.Run(command.Context(), c.Config)
		},
	}
	root.Flags().StringVar(&path, "config", "", "path of a configuration file")
	c.Flags(root.Flags(), c.Config)
	if err := root.ExecuteContext(ctx); err != nil {
		logf.Log.Error(err, "error executing command")
		util.SetExitCode(err)
	}
}

// load reads the configuration file and applies the flags, which override it. It sets the feature
// gates before it validates, because they decide which fields are allowed.
func (c Command[C]) load(command *cobra.Command, path string) error {
	if err := c.setGates(); err != nil {
		return err
	}
	if path != "" {
		loader, err := configfile.NewConfigurationFSLoader(nil, path)
		if err != nil {
			return fmt.Errorf("configuration file %s: %w", path, err)
		}
		file, read := c.File()
		if err := loader.Load(file); err != nil {
			return fmt.Errorf("configuration file %s: %w", path, err)
		}
		*c.Config = *read()
		if err := command.ParseFlags(os.Args[1:]); err != nil {
			return fmt.Errorf("flags after the file's: %w", err)
		}
		if err := c.setGates(); err != nil {
			return err
		}
	}
	if err := c.Validate(c.Config, nil).ToAggregate(); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	return logf.ValidateAndApply(c.Logging(c.Config))
}

func (c Command[C]) setGates() error {
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(c.Gates(c.Config)); err != nil {
		return fmt.Errorf("feature gates: %w", err)
	}
	return nil
}

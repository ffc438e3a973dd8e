// Package command is a stub of the Pulumi commands that use Pulumi's own service, and of those that
// show traces.
package command

import (
	"fmt"

	"github.com/spf13/cobra"
)

// APIError is an error of Pulumi's service. No function returns it.
type APIError struct {
	error

	ExitCode int
	Silent   bool
}

// NewAPICmd returns a command that always fails.
func NewAPICmd() *cobra.Command { return refusing("api") }

// NewConvertTraceCmd returns a command that always fails.
func NewConvertTraceCmd() *cobra.Command { return refusing("convert-trace") }

// NewDoCmd returns a command that always fails.
func NewDoCmd(...any) *cobra.Command { return refusing("do") }

// DefaultRunStatefulUpdate is not used.
var DefaultRunStatefulUpdate struct{}

// NewEnvCmd returns a command that always fails.
func NewEnvCmd(...any) *cobra.Command { return refusing("env") }

// NewInsightsCmd returns a command that always fails.
func NewInsightsCmd() *cobra.Command { return refusing("insights") }

// NewNeoCmd returns a command that always fails.
func NewNeoCmd() *cobra.Command { return refusing("neo") }

// NewOrgCmd returns a command that always fails.
func NewOrgCmd() *cobra.Command { return refusing("org") }

// NewViewTraceCmd returns a command that always fails.
func NewViewTraceCmd() *cobra.Command { return refusing("view-trace") }

func refusing(name string) *cobra.Command {
	return &cobra.Command{Use: name, Short: "Not in the lab's Pulumi", DisableFlagParsing: true, RunE: refuse}
}

// refuse returns the error of all these commands.
func refuse(command *cobra.Command, _ []string) error {
	return fmt.Errorf("the lab's Pulumi has no `pulumi %s`", command.Name())
}

// Package command stands in for those of Pulumi's commands that speak to its own service, and for
// those that show traces.
package command

import (
	"fmt"

	"github.com/spf13/cobra"
)

// APIError is an error of Pulumi's service. Nothing returns it.
type APIError struct {
	error

	ExitCode int
	Silent   bool
}

// NewAPICmd returns one that refuses.
func NewAPICmd() *cobra.Command { return refusing("api") }

// NewConvertTraceCmd returns one that refuses.
func NewConvertTraceCmd() *cobra.Command { return refusing("convert-trace") }

// NewDoCmd returns one that refuses.
func NewDoCmd(...any) *cobra.Command { return refusing("do") }

// DefaultRunStatefulUpdate is none.
var DefaultRunStatefulUpdate struct{}

// NewEnvCmd returns one that refuses.
func NewEnvCmd(...any) *cobra.Command { return refusing("env") }

// NewInsightsCmd returns one that refuses.
func NewInsightsCmd() *cobra.Command { return refusing("insights") }

// NewNeoCmd returns one that refuses.
func NewNeoCmd() *cobra.Command { return refusing("neo") }

// NewOrgCmd returns one that refuses.
func NewOrgCmd() *cobra.Command { return refusing("org") }

// NewViewTraceCmd returns one that refuses.
func NewViewTraceCmd() *cobra.Command { return refusing("view-trace") }

func refusing(name string) *cobra.Command {
	return &cobra.Command{Use: name, Short: "Not in the lab's Pulumi", DisableFlagParsing: true, RunE: refuse}
}

// refuse returns the error of all of them.
func refuse(command *cobra.Command, _ []string) error {
	return fmt.Errorf("the lab's Pulumi has no `pulumi %s`", command.Name())
}

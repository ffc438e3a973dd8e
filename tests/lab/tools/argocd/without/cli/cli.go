// Package commands stands in for two of the commands in Argo CD's binary: argocd itself, for which
// its API is there, and the command that gives clouds' clusters a token.
package commands

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

// NewCommand returns one that refuses.
func NewCommand() *cobra.Command {
	return &cobra.Command{Use: "argocd", DisableFlagParsing: true, RunE: refuse}
}

func refuse(*cobra.Command, []string) error {
	return errors.New("the lab's Argo CD has neither the command argocd nor argocd-k8s-auth: use its API")
}

// DefaultPluginHandler has no plugins.
type DefaultPluginHandler struct{}

// NewDefaultPluginHandler returns it.
func NewDefaultPluginHandler() *DefaultPluginHandler { return &DefaultPluginHandler{} }

// HandleCommandExecutionError shows the error as the original does, and returns it.
func (*DefaultPluginHandler) HandleCommandExecutionError(err error, _ bool, _ []string) error {
	fmt.Printf("Error: %v\n", err)
	return err
}

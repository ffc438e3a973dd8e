// Package commands is a stub of two commands in Argo CD's binary: argocd, whose users can use the
// API instead, and argocd-k8s-auth, which gets tokens for clusters of clouds.
package commands

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

// NewCommand returns a command that always fails.
func NewCommand() *cobra.Command {
	return &cobra.Command{Use: "argocd", DisableFlagParsing: true, RunE: refuse}
}

func refuse(*cobra.Command, []string) error {
	return errors.New("the lab's Argo CD has neither the command argocd nor argocd-k8s-auth: use its API")
}

// DefaultPluginHandler has no plugins.
type DefaultPluginHandler struct{}

// NewDefaultPluginHandler returns a handler without plugins.
func NewDefaultPluginHandler() *DefaultPluginHandler { return &DefaultPluginHandler{} }

// HandleCommandExecutionError prints the error, as upstream does, and returns it.
func (*DefaultPluginHandler) HandleCommandExecutionError(err error, _ bool, _ []string) error {
	fmt.Printf("Error: %v\n", err)
	return err
}

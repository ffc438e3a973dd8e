package main

import (
	"os"

	"github.com/hashicorp/cli"
	kubernetesAuth "github.com/hashicorp/vault-plugin-auth-kubernetes"
	"github.com/hashicorp/vault-plugin-secrets-kv"
	"github.com/hashicorp/vault/audit"
	"github.com/hashicorp/vault/builtin/plugin"
	"github.com/hashicorp/vault/command"
	"github.com/hashicorp/vault/physical/raft"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/physical"
	"github.com/hashicorp/vault/sdk/physical/file"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/serviceregistration"
	"github.com/hashicorp/vault/serviceregistration/kubernetes"
)

// server returns the command `vault server`. Plugins that are not listed here, such as PKI, come
// from the minimal registry. The factories here take precedence over the registry.
func server() *command.ServerCommand {
	return &command.ServerCommand{
		BaseCommand: &command.BaseCommand{
			UI: &command.VaultUI{Ui: &cli.BasicUi{Reader: os.Stdin, Writer: os.Stdout, ErrorWriter: os.Stderr}},
		},
		AuditBackends: map[string]audit.Factory{
			"file":   audit.NewFileBackend,
			"socket": audit.NewSocketBackend,
		},
		CredentialBackends: map[string]logical.Factory{
			"plugin":     plugin.Factory,
			"kubernetes": kubernetesAuth.Factory,
		},
		LogicalBackends: map[string]logical.Factory{
			"plugin": plugin.Factory,
			"kv":     kv.Factory,
		},
		PhysicalBackends: map[string]physical.Factory{
			"file":  file.NewFileBackend,
			"inmem": inmem.NewInmem,
			"raft":  raft.NewRaftBackend,
		},
		ServiceRegistrations: map[string]serviceregistration.Factory{
			"kubernetes": kubernetes.NewServiceRegistration,
		},
		ShutdownCh: command.MakeShutdownCh(),
		SighupCh:   command.MakeSighupCh(),
		SigUSR2Ch:  command.MakeSigUSR2Ch(),
	}
}

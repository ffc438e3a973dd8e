// Command vault is Vault's own command, with a server that has the parts for Strata and its tests:
// Kubernetes authentication and file storage come on top of Vault's minimal server (its build tag).
// The official server has some sixty plugins and storages more, most of them over the SDKs of
// clouds, which take eight times as long to compile as the rest.
package main

import (
	"os"

	"github.com/hashicorp/vault/command"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "server" {
		os.Exit(server().Run(os.Args[2:]))
	}
	os.Exit(command.Run(os.Args[1:]))
}

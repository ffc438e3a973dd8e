// Command vault is Vault's own command, whose server has only the parts that Strata and its tests
// use: Vault's minimal server (its build tag minimal), Kubernetes authentication and file storage.
// The official server has about sixty more plugins and storages. Most of them need SDKs of clouds,
// which take eight times as long to compile as the rest.
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

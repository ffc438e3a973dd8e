package cli

import (
	_ "embed"
	"fmt"

	"strata/internal/remote"
)

// containerdSocket is where K3s's containerd listens.
const containerdSocket = "/run/k3s/containerd/containerd.sock"

//go:embed push_import.sh
var importText string

// importScript is the script that loads an archive into the containerd behind a socket, if one answers there.
func importScript(socket, archive string) string {
	return fmt.Sprintf("socket=%s archive=%s\n", remote.Quote(socket), remote.Quote(archive)) + importText
}

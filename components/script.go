package components

import (
	"embed"
	"fmt"
	"math"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	k3snode "strata/internal/k3s/node"
	"strata/internal/remote"
)

//go:embed scripts/*.sh
var scripts embed.FS

// shared are the functions that a script has in common with others, by its name.
var shared = map[string]string{
	"k3s-claim.sh": k3snode.Ownership, "k3s-install.sh": k3snode.Ownership + k3snode.Functions, "k3s-uninstall.sh": k3snode.Ownership,
	"k3s-vip-remove.sh": k3snode.Ownership,
}

// variable is a shell variable that a script reads. Its value must not be secret: it is part of the command's text.
type variable struct{ name, value string }

// remoteScript is the command text that runs an embedded script on a host: as root, in bash, killed after limit on the host
// itself because a remote command has no timeout of its own, and with no output line over 2,000 characters because a longer
// one than 64 KiB stops the provider's reader for ever (pulumi-command 1.2.1, provider/pkg/provider/util/logging.go).
func remoteScript(user, script string, limit metav1.Duration, variables ...variable) string {
	var text strings.Builder
	for _, v := range variables {
		fmt.Fprintf(&text, "%s=%s\n", v.name, remote.Quote(v.value))
	}
	text.WriteString(shared[script])
	content, err := scripts.ReadFile("scripts/" + script)
	if err != nil {
		panic(err) // an embedded file that the compiler has already found
	}
	text.Write(content)
	return onHost(user, text.String(), limit)
}

// onHost is the command text that runs a bash script on a host, under the bounds that remoteScript promises.
func onHost(user, script string, limit metav1.Duration) string {
	sudo := ""
	if user != "root" {
		sudo = "sudo -n "
	}
	seconds := int(math.Ceil(limit.Seconds()))
	pipeline := fmt.Sprintf(`%stimeout -k 5 %d bash -euo pipefail -c "$0" 2>&1 | cut -c1-2000`, sudo, seconds)
	return fmt.Sprintf("exec bash -o pipefail -c %s %s", remote.Quote(pipeline), remote.Quote(script))
}

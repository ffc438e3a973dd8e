package components

import (
	"embed"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"

	"strata/actions"
	"strata/actions/hosts/hostrun"
	"strata/health"
	"strata/internal/k3shost"
	"strata/internal/pulumi/join"
	"strata/internal/pulumi/self"
	ssh "strata/internal/ssh/remote"
)

//go:embed scripts/*.sh
var scripts embed.FS

// shared has the functions that scripts have in common, by the name of the script that needs them.
var shared = map[string]string{
	"k3s-claim.sh": k3shost.Ownership, "k3s-install.sh": k3shost.Ownership + k3shost.Functions,
	"k3s-uninstall.sh":  k3shost.Ownership,
	"k3s-vip-remove.sh": k3shost.Ownership, "k3s-ca-hash.sh": k3shost.Ownership,
}

// variable is a shell variable that a script reads. Its value must not be secret: it is an argument
// on the host.
type variable struct{ name, value string }

// hostScript returns the text of an embedded script with its variables and the functions that it
// shares with others.
func hostScript(script string, variables ...variable) string {
	var text strings.Builder
	for _, v := range variables {
		fmt.Fprintf(&text, "%s=%s\n", v.name, ssh.Quote(v.value))
	}
	text.WriteString(shared[script])
	content, err := scripts.ReadFile("scripts/" + script)
	if err != nil {
		panic(err) // an embedded file that the compiler has already found
	}
	text.Write(content)
	return text.String()
}

// runs returns the command that runs scripts on the host. The method sets the Target of the input.
func (h *Host) runs(asked pulumix.Output[hostrun.Input]) *local.CommandArgs {
	input := join.Two(asked, h.pinnedTarget(),
		func(input hostrun.Input, host health.Host) hostrun.Input {
			input.Target = host.Target
			return input
		})
	command := actions.CommandOf(hostrun.Create, input, pulumi.StringMap{self.SSHKey: h.SSHKey})
	command.Logging = local.LoggingStdoutAndStderr
	return command
}

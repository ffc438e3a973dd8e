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

// shared maps the name of a script to the shell functions that are prepended to the script.
var shared = map[string]string{
	"k3s-claim.sh":      k3shost.Ownership,
	"k3s-install.sh":    k3shost.Ownership + k3shost.SysctlsFunction + k3shost.Functions,
	"k3s-uninstall.sh":  k3shost.Ownership,
	"k3s-vip.sh":        k3shost.RecordFunctions,
	"k3s-vip-remove.sh": k3shost.Ownership, "k3s-ca-hash.sh": k3shost.Ownership,
}

// variable is a shell variable of a script. Its value must not be secret, because the script is a
// command-line argument on the host.
type variable struct{ name, value string }

// hostScript returns an embedded script, preceded by its variables and shared functions.
func hostScript(script string, variables ...variable) string {
	var text strings.Builder
	for _, v := range variables {
		fmt.Fprintf(&text, "%s=%s\n", v.name, ssh.Quote(v.value))
	}
	text.WriteString(shared[script])
	content, err := scripts.ReadFile("scripts/" + script)
	if err != nil {
		panic(err) // cannot happen: the file is embedded
	}
	text.Write(content)
	return text.String()
}

// runs returns a command that runs the scripts of asked on the host. The method sets the input's
// Target.
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

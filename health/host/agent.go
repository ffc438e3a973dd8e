package host

import (
	"net"

	"strata/health"
)

// agentVariable names the socket of an SSH agent (ssh-agent(1)).
const agentVariable = "SSH_AUTH_SOCK"

// agentTrouble is why an SSH agent's socket does not answer. Gates do not use it, but the provider that runs commands on hosts connects to it
// before anything else, and gives up where it cannot (pulumi-command 1.2.1, remote/connection.go): a session whose agent has gone, as
// in an old tmux, would have every install fail behind gates that are open.
func agentTrouble(socket string) string {
	if socket == "" {
		return ""
	}
	connection, err := net.Dial("unix", socket)
	if err != nil {
		return err.Error()
	}
	_ = connection.Close() // only that it was accepted counts
	return ""
}

func judgeAgent(trouble string) health.Verdict {
	return health.Verdict{
		Check: "ssh agent", State: health.Stuck, Message: agentVariable + " is set, and its socket does not answer: " + trouble,
		Cause: "the session that started the SSH agent has ended; every command on a host fails until this is gone",
		Hint:  "unset " + agentVariable + ", and run it again; keys come from strata:hosts.ssh.keyFile",
	}
}

package config

// SSHNames are the names of a login's settings in messages. The reader has either a stack file or a
// command line.
type SSHNames struct {
	// Node is the format of a node's index and name.
	Node string
	// Passphrase is the instruction for giving a key's passphrase, and Agent that for offering an
	// agent's keys.
	Passphrase, Agent string
}

// StackNames are the names for a reader with a stack file.
var StackNames = SSHNames{
	Node:       "strata:hosts.nodes[%d].ssh of %s",
	Passphrase: "set its passphrase: pulumi config set --secret --path strata:hosts.ssh.passphrase",
	Agent:      "set strata:hosts.ssh.agent to true",
}

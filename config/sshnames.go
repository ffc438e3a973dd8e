package config

// SSHNames are the names of SSH settings in messages: keys of a stack file, or flags of a command.
type SSHNames struct {
	// Node is a format with two arguments: a node's index and its name.
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

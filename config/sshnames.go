package config

// SSHNames name a login's settings in messages, for the reader of a stack file or of a command.
type SSHNames struct {
	// Node is the format of a node's index and name.
	Node string
	// Passphrase and Agent tell how to give a key's passphrase, and how to offer an agent's keys.
	Passphrase, Agent string
}

// StackNames are the keys of a stack file.
var StackNames = SSHNames{
	Node:       "strata:hosts.nodes[%d].ssh of %s",
	Passphrase: "set its passphrase: pulumi config set --secret --path strata:hosts.ssh.passphrase",
	Agent:      "set strata:hosts.ssh.agent to true",
}

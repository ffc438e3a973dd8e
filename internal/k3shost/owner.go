package k3shost

import (
	_ "embed"

	"strata/internal/ssh/remote"
)

// Mark is the path of the file with the host's owner, in lines for cluster, project, stack and
// node. The file exists from before the first change until the end of the uninstall.
const Mark = "/var/lib/strata/owner"

// Owner identifies the owner of a host (docs/adr/0021).
type Owner struct {
	// Cluster is the cluster's identity, a random word in its state. Cluster and Node decide the
	// owner.
	Cluster string `json:"cluster"`
	// TokenSHA256 holds the sums of the cluster's tokens, in hex, separated by spaces. A K3s on a
	// host without a mark belongs to this cluster if it uses one of the tokens. The sums do not
	// reveal the tokens' 48 random characters.
	TokenSHA256 string `json:"tokenSHA256"`
	// Project and Stack are only shown to users: a stack can be renamed.
	Project string `json:"project"`
	Stack   string `json:"stack"`
	// Node is the name of the host's node.
	Node string `json:"node,omitempty"`
}

// WithNode returns a copy of the owner with Node set; nil if o is nil.
func (o *Owner) WithNode(node string) *Owner {
	if o == nil {
		return nil
	}
	at := *o
	at.Node = node
	return &at
}

// Variables returns the variables that Ownership needs.
func (o Owner) Variables() map[string]string {
	return map[string]string{"CLUSTER": o.Cluster, "TOKEN_SHA256": o.TokenSHA256,
		"PROJECT": o.Project,
		"STACK":   o.Stack, "NODE": o.Node}
}

// Insists returns the beginning of a script that makes the script fail on a host of another owner.
// It returns "" for a nil Owner, so that nothing is checked.
func (o *Owner) Insists() string {
	if o == nil {
		return ""
	}
	text := ""
	for name, value := range o.Variables() {
		text += name + "=" + remote.Quote(value) + "\n"
	}
	return text + Ownership + "must_be_ours\n"
}

// Ownership defines the shell functions that print a host's owner, and claim it. The file lists the
// variables that it needs. The functions are POSIX shell.
//
//go:embed owner.sh
var Ownership string

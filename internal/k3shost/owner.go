package k3shost

import (
	_ "embed"

	"strata/internal/ssh/remote"
)

// Mark is the file by which a host says whose it is: lines of cluster, project, stack and node. It
// is there from before the first change until the end of the uninstall.
const Mark = "/var/lib/strata/owner"

// Owner identifies the owner of a host (docs/adr/0021).
type Owner struct {
	// Cluster is the cluster's identity, a random word that its state keeps. It and Node decide.
	Cluster string `json:"cluster"`
	// TokenSHA256 holds the sums of the cluster's tokens, in hex, with spaces between: a K3s
	// without a mark is ours if it has one of them. They do not give the tokens' 48 random
	// characters away.
	TokenSHA256 string `json:"tokenSHA256"`
	// Project and Stack are for people: a stack can be renamed.
	Project string `json:"project"`
	Stack   string `json:"stack"`
	// Node is the node that the host is.
	Node string `json:"node,omitempty"`
}

// At is the owner of a node's host; nil where there is none.
func (o *Owner) At(node string) *Owner {
	if o == nil {
		return nil
	}
	at := *o
	at.Node = node
	return &at
}

// Variables are those that Ownership needs.
func (o Owner) Variables() map[string]string {
	return map[string]string{"CLUSTER": o.Cluster, "TOKEN_SHA256": o.TokenSHA256, "PROJECT": o.Project, "STACK": o.Stack, "NODE": o.Node}
}

// Insists is the beginning of a script that ends on a host of another stack; empty for nil, which
// checks nothing.
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

// Ownership are the shell functions that say whose a host is, and claim it; the file says what has
// to be set before. They run in sh.
//
//go:embed owner.sh
var Ownership string

package nspawn

import (
	"context"
	"fmt"
	"strings"

	"strata/internal/k3shost"
	"strata/internal/nspawn/host"
)

// Owner identifies the owner of a machine (docs/adr/0031). Cluster, the identity that the stack's
// state keeps, and the machine's name decide; the rest is for people.
type Owner struct {
	Cluster string `json:"cluster"`
	Project string `json:"project"`
	Stack   string `json:"stack"`
	Node    string `json:"node"`
}

// OwnerOf returns the owner of a machine from a host's owner. Without a node it is the owner of all
// machines of the stack.
func OwnerOf(host k3shost.Owner) *Owner {
	return &Owner{Cluster: host.Cluster, Project: host.Project, Stack: host.Stack, Node: host.Node}
}

// String names the owner.
func (o *Owner) String() string {
	if o == nil {
		return "no marked owner"
	}
	return fmt.Sprintf("node %s of stack %s of project %s (cluster %s)", o.Node, o.Stack, o.Project, o.Cluster)
}

// mayHave returns an error if the existing machine belongs to another cluster than the Spec. A
// machine without an owner was made by hand or by an older Strata, so its name decides. A Spec
// without an owner is from an older state, so the key decides.
func (s Spec) mayHave(have Spec) error {
	switch {
	case have.Owner == nil, s.Owner != nil && s.Owner.Cluster == have.Owner.Cluster:
		return nil
	case s.Owner == nil && s.AuthorizedKey != "" &&
		strings.TrimSpace(s.AuthorizedKey) == strings.TrimSpace(have.AuthorizedKey):
		return nil
	}
	return fmt.Errorf(
		"machine %s belongs to another stack, %s: it is left alone. Another state of this stack's file made it: two people need stacks of two names; "+
			"if that state is lost or this machine has no other user: strata owner --take (docs/host-ownership.md), or strata machine delete %s", s.Name, have.Owner, s.Name)
}

// ByHand gives a machine another owner, or with nil none. It returns the former owner, and changes
// nothing unless yes. The machine keeps running.
func ByHand(ctx context.Context, name string, owner *Owner, yes bool) (was *Owner, err error) {
	if err := checkHost(); err != nil {
		return nil, err
	}
	unlock, err := host.Lock(ctx, "machine-"+name)
	if err != nil {
		return nil, err
	}
	defer unlock()
	spec, err := loadSpec(name)
	if err != nil || !yes {
		return spec.Owner, err
	}
	was, spec.Owner = spec.Owner, owner
	return was, saveSpec(spec)
}

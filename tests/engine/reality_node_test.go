package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"strata/actions/hosts/hostrun"
	"strata/actions/k3s/token"
)

// hostInput returns the input of a command for a host.
func hostInput(inputs resource.PropertyMap) (told hostrun.Input) {
	_ = json.Unmarshal([]byte(plain(inputs["stdin"])), &told) // an unknown value does nothing
	return told
}

// node executes the command of one node's resource. what is the end of the resource's name, for
// example vm, gate or install.
func (r *reality) node(verb, name, what string, inputs resource.PropertyMap) error {
	one := r.at(name)
	switch {
	case what == "vm":
		return r.machine(verb, name)
	// Before docs/adr/0045, the resource uninstall had the delete that claim has now.
	case verb == "delete" && inputs.HasValue("delete") &&
		slices.Contains([]string{"claim", "uninstall"}, what):
		return r.uninstall(name)
	case verb == "delete":
	case what == "present":
		return r.present(name)
	case !one.there && slices.Contains(overSSH, what):
		return unreachable(name)
	case what == "binary":
		if found := pushed.FindStringSubmatch(plain(inputs["stdin"])); found != nil {
			one.staged = found[1]
		}
	case what == "install":
		return r.install(name, hostInput(inputs))
	case what == "gate" && strings.Contains(plain(inputs["stdin"]), `"kind":"server"`):
		return r.joined(name)
	}
	return nil
}

// overSSH has the kinds of commands that fail if the node's host is unreachable.
var overSSH = []string{"hostkey", "gate", "boot", "claim", "installer", "binary", "images",
	"install", "keepalived"}

// machine executes `vm create`, and its update and delete.
func (r *reality) machine(verb, name string) error {
	one := r.at(name)
	switch verb {
	case "create": // this also adopts a machine that a killed create left
		one.there = true
		if one.leaving {
			*one = host{there: true}
		}
	case "update":
		return r.present(name)
	case "delete":
		*one = host{}
	}
	return nil
}

// present executes `vm create --existing`.
func (r *reality) present(name string) error {
	one := r.at(name)
	if one.leaving {
		*one = host{there: true}
	}
	if !one.there {
		return fmt.Errorf("%s: the machine is gone", name)
	}
	return nil
}

// uninstall removes K3s and Strata's files from a host. Its Node stays in the cluster.
func (r *reality) uninstall(name string) error {
	one := r.at(name)
	if !one.there {
		return unreachable(name)
	}
	*one = host{there: true, condemned: one.condemned, leaving: one.leaving}
	return nil
}

func unreachable(name string) error { return fmt.Errorf("%s: ssh: no route to host", name) }

// These expressions match values in the inputs of an install, a push and an upgrade.
var (
	isServer = regexp.MustCompile(`ROLE=\W*server`)
	binary   = regexp.MustCompile(`BINARY_SHA256=\W*([0-9a-f]{64})`)
	pushed   = regexp.MustCompile(`"sha256":"([0-9a-f]{64})"`)
)

var (
	tokenLine      = regexp.MustCompile(`(?m)^token: "?([^"\n]+)`)
	agentTokenLine = regexp.MustCompile(`(?m)^agent-token: "?([^"\n]+)`)
)

// install installs K3s on a host. If told.Founds is set, and the cluster has no server, the host
// starts a cluster unless the state shows one. Otherwise the host joins.
func (r *reality) install(name string, told hostrun.Input) error {
	script, config := told.Script, told.Stdin
	one := r.at(name)
	found := tokenLine.FindStringSubmatch(config)
	if found == nil {
		return fmt.Errorf("%s: no token in its configuration", name)
	}
	wanted := binary.FindStringSubmatch(script)
	if wanted == nil || one.staged != wanted[1] {
		return fmt.Errorf("%s: the staged K3s is %q, not %q", name, one.staged, wanted)
	}
	token, server := found[1], isServer.MatchString(script)
	one.config = config
	if one.token != "" {
		if one.sealed != token && one.server {
			return fmt.Errorf("%s: bootstrap data already found and encrypted with different token", name)
		}
		if (one.server || one.token == token) &&
			(one.server && one.cluster == r.clusters || r.serves()) {
			one.token, one.cluster, r.nodes[name] = token, r.clusters, true
			return nil
		}
	}
	switch {
	case r.serves():
		for other, peer := range r.hosts {
			opens := peer.token == token
			if !server {
				agents := agentTokenLine.FindStringSubmatch(peer.config)
				opens = agents != nil && agents[1] == token
			}
			if peer.there && peer.server && peer.cluster == r.clusters && !opens {
				return fmt.Errorf("%s: token is not %s's", name, other)
			}
		}
	case server && told.Founds != "" && r.founded():
		return fmt.Errorf("%s: there was a cluster, and no server of it serves", name)
	case server && told.Founds != "":
		r.clusters++
		clear(r.nodes)
		clear(r.objects)
	default:
		return fmt.Errorf("%s: no server to join", name)
	}
	one.server, one.token, one.sealed, one.cluster, one.running, r.nodes[name] = server,
		token, token,
		r.clusters, one.staged, true
	return nil
}

// rotate encrypts the data of all servers with another token. etcd replicates the data, so one
// server's rotation affects all.
func (r *reality) rotate(stdin string) error {
	var asked token.Rotation
	_ = json.Unmarshal([]byte(stdin), &asked) // an unknown value does nothing
	if asked.Generation == 0 || len(asked.Tokens) == 0 {
		return nil
	}
	for _, server := range asked.Servers {
		if !r.at(server.Name).there {
			return unreachable(server.Name)
		}
	}
	for _, one := range r.hosts {
		if one.server && one.token != "" {
			one.sealed = asked.Tokens[len(asked.Tokens)-1]
		}
	}
	return nil
}

// upgrade makes every node run the wanted K3s.
func (r *reality) upgrade(stdin string) error {
	wanted := pushed.FindStringSubmatch(stdin)
	if wanted == nil {
		return errors.New("upgrade: no binary is named")
	}
	for _, name := range nodesIn(stdin) {
		one := r.at(name)
		switch {
		case !one.there:
			return unreachable(name)
		case one.token == "": // it joins later, with the staged binary
		case one.staged != wanted[1]:
			return fmt.Errorf("%s: the staged K3s is %q, not %q", name, one.staged, wanted[1])
		default:
			one.running = wanted[1]
		}
	}
	return nil
}

// exact returns an error unless exactly the wanted nodes are ready, like the gate of the node set.
func (r *reality) exact(wanted []string) error {
	if have := slices.Sorted(maps.Keys(r.nodes)); !slices.Equal(have, wanted) {
		return fmt.Errorf("the cluster has the nodes %v, not %v", have, wanted)
	}
	for _, name := range wanted {
		if err := r.joined(name); err != nil {
			return err
		}
	}
	return nil
}

// joined returns an error unless the K3s of a node has joined the cluster, like the gate of a node.
func (r *reality) joined(name string) error {
	if one := r.at(name); !one.there || one.token == "" || one.cluster != r.clusters ||
		!r.nodes[name] {
		return fmt.Errorf("%s: K3s is not ready", name)
	}
	return nil
}

// judge checks the hosts and the cluster after a successful update: exactly the configured nodes
// must exist, in one cluster.
func (r *reality) judge(wanted []string) error {
	if err := r.exact(wanted); err != nil {
		return err
	}
	for name, one := range r.hosts {
		asked := slices.Contains(wanted, name)
		switch {
		case asked && (!one.there || one.token == "" || one.cluster != r.clusters):
			return fmt.Errorf("%s is no node of cluster %d: %+v", name, r.clusters, *one)
		case !asked && one.token != "":
			return fmt.Errorf("%s has left and has K3s: %+v", name, *one)
		// condemned is not checked: a destroy that was killed early may leave this mark, which is
		// harmless (docs/adr/0030).
		case asked && one.leaving:
			return fmt.Errorf("%s is marked as leaving: %+v", name, *one)
		}
	}
	return nil
}

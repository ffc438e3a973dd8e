package engine_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// node is what a command for one node does: machine, present, gate, admit, install and so on.
func (r *reality) node(verb, name, what string, inputs resource.PropertyMap) error {
	one := r.at(name)
	switch {
	case what == "machine" || what == "vm":
		return r.machine(verb, name)
	case verb == "delete" && what == "uninstall":
		r.uninstall(name)
	case verb == "delete":
	case what == "present":
		return r.present(name)
	case !one.there:
		return fmt.Errorf("%s: ssh: no route to host", name)
	case what == "install":
		return r.install(name, plain(inputs["create"]), plain(inputs["stdin"]))
	case what == "gate" && strings.Contains(plain(inputs["stdin"]), `"kind":"server"`):
		return r.joined(name)
	}
	return nil
}

// machine makes and removes a machine. A delete says first that it is about to go.
func (r *reality) machine(verb, name string) error {
	one := r.at(name)
	switch verb {
	case "create": // takes over what a kill has left
		one.there = true
		if one.leaving {
			*one = host{there: true}
		}
	case "update":
		return r.present(name)
	case "delete":
		*one = host{leaving: true}
	}
	return nil
}

// present is `machine create --existing`.
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

// uninstall takes K3s off a host that can be reached. Its node stays in Kubernetes.
func (r *reality) uninstall(name string) {
	if one := r.at(name); one.there {
		one.token, one.server = "", false
	}
}

// What the script of an install is told.
var isServer, isFirst = regexp.MustCompile(`ROLE=\W*server`), regexp.MustCompile(`FIRST=\W*true`)

var tokenLine = regexp.MustCompile(`(?m)^token: "?([^"\n]+)`)

// install puts K3s on a host: the first server begins a cluster where no peer serves one, every other node joins.
func (r *reality) install(name, script, config string) error {
	one := r.at(name)
	found := tokenLine.FindStringSubmatch(config)
	if found == nil {
		return fmt.Errorf("%s: no token in its configuration", name)
	}
	token, server := found[1], isServer.MatchString(script)
	if one.token != "" {
		if one.token != token && one.server {
			return fmt.Errorf("%s: bootstrap data already found and encrypted with different token", name)
		}
		if one.token == token && (one.server && one.cluster == r.clusters || r.serves()) {
			one.cluster, r.nodes[name] = r.clusters, true
			return nil
		}
	}
	switch {
	case r.serves():
		for other, peer := range r.hosts {
			if peer.there && peer.server && peer.cluster == r.clusters && peer.token != token {
				return fmt.Errorf("%s: token is not %s's", name, other)
			}
		}
	case server && isFirst.MatchString(script):
		r.clusters++
		clear(r.nodes)
		clear(r.objects)
	default:
		return fmt.Errorf("%s: no server to join", name)
	}
	one.server, one.token, one.cluster, r.nodes[name] = server, token, r.clusters, true
	return nil
}

// joined is the gate of one node's K3s.
func (r *reality) joined(name string) error {
	if one := r.at(name); one.token == "" || one.cluster != r.clusters || !r.nodes[name] {
		return fmt.Errorf("%s: K3s is not ready", name)
	}
	return nil
}

// judge holds reality to the configuration after an up that ended well: exactly the nodes that are asked for, in one cluster.
func (r *reality) judge(wanted []string) error {
	if have := slices.Sorted(maps.Keys(r.nodes)); !slices.Equal(have, wanted) {
		return fmt.Errorf("the cluster has the nodes %v, not %v", have, wanted)
	}
	for name, one := range r.hosts {
		asked := slices.Contains(wanted, name)
		switch {
		case asked && (!one.there || one.token == "" || one.cluster != r.clusters):
			return fmt.Errorf("%s is no node of cluster %d: %+v", name, r.clusters, *one)
		case !asked && one.token != "":
			return fmt.Errorf("%s has left and has K3s: %+v", name, *one)
		case asked && (one.condemned || one.leaving):
			return fmt.Errorf("%s is marked as leaving: %+v", name, *one)
		}
	}
	return nil
}

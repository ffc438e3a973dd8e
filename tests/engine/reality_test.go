package engine_test

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"strata/tests/pulumitest"
)

// reality simulates the hosts and the cluster behind the fake providers. The program's commands
// change and read it, as docs/architecture.md and their packages describe. The stories of tests/e2e
// test the same commands on real hosts.
type reality struct {
	hosts map[string]*host
	// clusters counts the clusters that the first server has started. The last is the present one.
	clusters int
	// nodes are the Nodes of the cluster.
	nodes map[string]bool
	// objects are the objects of the cluster, in the same map as world.objects.
	objects map[string]bool
	// content holds the last written inputs of each object.
	content map[string]resource.PropertyMap
	// writes counts the writes of objects.
	writes int
	// passwords counts the generated passwords.
	passwords int
	// existing is true for a cluster that existed before the stack. The stack never deletes it.
	existing bool
	// founded reports whether the state shows that a cluster was started before.
	founded func() bool
	// blind is a planted fault: the gate of the node set always passes, and no node is removed.
	blind bool
}

// host is an existing host or a machine.
type host struct {
	// there is true if the host can be reached: an existing host always, a machine of Strata once
	// it is created.
	there bool
	// condemned is true once a destroy has begun that deletes the machine. leaving is true if the
	// machine must be recreated.
	condemned, leaving bool
	// server, token and cluster describe the K3s of the host. token is empty without K3s.
	server  bool
	token   string
	cluster int
	// sealed is the token with which a server's data is encrypted.
	sealed string
	// staged is the checksum of the pushed binary, and running that of the binary that K3s runs.
	// config is K3s's configuration.
	staged, running, config string
}

// newReality returns a reality without hosts. It shares the map objects with the world.
func newReality(w *world) *reality {
	return &reality{hosts: map[string]*host{}, nodes: map[string]bool{}, objects: w.objects,
		content: map[string]resource.PropertyMap{}, founded: func() bool { return false }}
}

// clone returns a deep copy.
func (r *reality) clone() *reality {
	other := *r
	other.nodes = maps.Clone(r.nodes)
	other.objects = maps.Clone(r.objects)
	other.content = maps.Clone(r.content)
	other.hosts = map[string]*host{}
	for name, one := range r.hosts {
		same := *one
		other.hosts[name] = &same
	}
	return &other
}

// fingerprint returns a text that differs for different realities, without objects' contents.
func (r *reality) fingerprint() string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(r.hosts)) {
		fmt.Fprintf(&text, "%s %+v ", name, *r.hosts[name])
	}
	fmt.Fprint(&text, r.clusters, r.passwords, r.nodes, r.objects, r.writes)
	return text.String()
}

// becomes makes r the reality of the world.
func (w *world) becomes(r *reality) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.reality, w.objects = r, r.objects
}

// at returns the host of a node, and adds a missing host.
func (r *reality) at(name string) *host {
	if r.hosts[name] == nil {
		r.hosts[name] = &host{}
	}
	return r.hosts[name]
}

// serves reports whether the cluster has a server.
func (r *reality) serves() bool {
	if r.existing {
		return true
	}
	for one := range maps.Values(r.hosts) {
		if one.there && one.server && one.token != "" && one.cluster == r.clusters {
			return true
		}
	}
	return false
}

// onHost matches a resource of one node, for example `k3s-agent-1-install`.
var onHost = regexp.MustCompile(`^(hosts|k3s)-((?:server|agent)-\d+)-([a-z]+)`)

// do applies the effect of one action on a resource.
func (r *reality) do(verb string, urn resource.URN, inputs resource.PropertyMap) error {
	name, kind := urn.Name(), string(urn.Type())
	switch {
	case strings.HasPrefix(kind, "kubernetes:"):
		return r.written(verb, urn, inputs)
	case !strings.HasPrefix(kind, "command:"):
		return nil
	case name == "hosts-leaving":
		return r.depart(verb)
	case name == "k3s-members":
		return r.members(verb, inputs)
	case verb != "delete" && name == "k3s-token-rotation":
		return r.rotate(plain(inputs["stdin"]))
	case verb != "delete" && name == "k3s-upgrade":
		return r.upgrade(plain(inputs["stdin"]))
	case verb != "delete" && name == "k3s-nodes" && !r.blind:
		return r.exact(nodesIn(plain(inputs["stdin"])))
	}
	if found := onHost.FindStringSubmatch(name); found != nil {
		return r.node(verb, found[2], found[3], inputs)
	}
	if environment := inputs["environment"]; verb != "delete" && environment.IsObject() {
		if access, reads := environment.ObjectValue()["STRATA_KUBECONFIG"]; reads {
			return r.opened(access)
		}
	}
	if name == "k3s-credential" && verb != "delete" {
		return r.requestError()
	}
	return nil
}

var errNoAnswer = errors.New("dial tcp: connection refused")

// requestError returns the error of a request to the API; nil if a server answers.
func (r *reality) requestError() error {
	if !r.serves() {
		return errNoAnswer
	}
	return nil
}

// written applies a write to the API. The caller itself records a created object, because the
// caller knows whether the object existed.
func (r *reality) written(verb string, urn resource.URN, inputs resource.PropertyMap) error {
	if err := r.requestError(); err != nil {
		return err
	}
	if object := objectOf(urn, inputs); object != "" && verb == "update" {
		r.content[object] = inputs
		r.writes++
	}
	return nil
}

// opened returns the error of a request with a kubeconfig. A kubeconfig of an earlier cluster
// fails, because it has another CA.
func (r *reality) opened(access resource.PropertyValue) error {
	if err := r.requestError(); err != nil {
		return err
	}
	if text := plain(access); !r.existing && !strings.Contains(text, accessTo(r.clusters)) {
		return fmt.Errorf("x509: certificate signed by unknown authority: the cluster is %d: %s",
			r.clusters, text)
	}
	return nil
}

// accessTo returns the secret part of the kubeconfig of a cluster.
func accessTo(cluster int) string {
	return fmt.Sprintf("%s-of-%03d", pulumitest.ClientKey,
		cluster)
}

// drawn changes a provider's outputs to those of this reality: each password is unique, and a
// kubeconfig belongs to the present cluster.
func (w *world) drawn(urn resource.URN, outputs resource.PropertyMap) {
	if w.reality == nil {
		return
	}
	switch string(urn.Type()) {
	case "random:index/randomPassword:RandomPassword":
		w.reality.passwords++
		outputs["result"] = resource.MakeSecret(
			resource.NewProperty(fmt.Sprintf("%s-%03d", pulumitest.Token, w.reality.passwords)))
	case "command:local:Command":
		text := strings.ReplaceAll(plain(outputs["stdout"]), pulumitest.ClientKey,
			accessTo(w.reality.clusters))
		outputs["stdout"] = resource.MakeSecret(resource.NewProperty(text))
	}
}

// depart executes `vm leaving`. A destroy marks all machines as condemned. The create in the next
// update marks condemned and deleted machines to be recreated.
func (r *reality) depart(verb string) error {
	for one := range maps.Values(r.hosts) {
		switch {
		case verb == "delete":
			one.condemned = one.there
		case verb == "update":
			one.condemned = false
		case one.condemned || !one.there:
			one.leaving = true
		}
	}
	return nil
}

// members removes nodes from the cluster that are no longer configured.
func (r *reality) members(verb string, inputs resource.PropertyMap) error {
	if verb == "delete" || r.blind {
		return nil
	}
	if err := r.requestError(); err != nil {
		return err
	}
	wanted := nodesIn(plain(inputs["stdin"]))
	maps.DeleteFunc(r.nodes, func(name string,
		_ bool) bool {
		return !slices.Contains(wanted, name)
	})
	return nil
}

var nodeName = regexp.MustCompile(`"name":"((?:server|agent)-\d+)"`)

// nodesIn returns the different nodes in a command's input, in order.
func nodesIn(stdin string) []string {
	var names []string
	for _, found := range nodeName.FindAllStringSubmatch(stdin, -1) {
		names = append(names, found[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// plain returns the text of a value, even if it is secret.
func plain(value resource.PropertyValue) string {
	if value.IsSecret() {
		value = value.SecretValue().Element
	}
	if value.IsString() {
		return value.StringValue()
	}
	return ""
}

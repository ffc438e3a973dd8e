package members

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"strata/internal/k3shost"
	"strata/internal/pulumi/stackstate"
	"strata/internal/ssh/remote"
)

// Past holds the state's records of the cluster that the stack had before. The hosts cannot provide
// them: a reinstalled host knows no cluster, and a lost host does not answer.
type Past struct {
	// Identity is the cluster's random ID, which is also in the owner files of the hosts.
	Identity string
	// Cluster is true if the state contains a certificate from a cluster, or a cluster's members.
	Cluster bool
	// Servers lists the servers of the last update.
	Servers []remote.Target
	// CAHash is the hash of the cluster's CA in the form that join tokens contain. It is empty if
	// the first server has never started.
	CAHash string
}

// ReadPast reads the Past from a stack's state. It decrypts the state's secrets only if the servers
// or the CA's hash are encrypted or missing.
func ReadPast(ctx context.Context, pulumi stackstate.Pulumi, stack string) (Past, error) {
	var past Past
	for _, read := range []func(context.Context, string) (*stackstate.State, error){pulumi.ReadEncrypted, pulumi.Read} {
		state, err := read(ctx, stack)
		if err != nil {
			return Past{}, fmt.Errorf("is there a cluster already? state of stack %s: %w",
				stack, err)
		}
		if past = PastOf(state); !past.Cluster || len(past.Servers) > 0 && past.CAHash != "" {
			return past, nil
		}
	}
	if len(past.Servers) > 0 { // the run was killed before the CA's hash was read
		return past, nil
	}
	return Past{}, fmt.Errorf("state of stack %s: there was a cluster, and the state does not "+
		"say which servers it had", stack)
}

// ReadPastHere reads the Past of a stack of the Pulumi project in the working directory. Pulumi
// runs the program and its commands there.
func ReadPastHere(ctx context.Context, stack string) (Past, error) {
	return ReadPast(ctx, stackstate.CommandLine("."), stack)
}

// CAHashIn returns the CA hash in the output of the first server's command: the output's last word;
// "" for an empty output.
func CAHashIn(said string) string {
	words := strings.Fields(said)
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// PastOf returns the Past of a state. Servers is empty if the state's secrets are encrypted.
func PastOf(state *stackstate.State) Past {
	var past Past
	if identity, ok := state.Lookup("k3s-cluster"); ok {
		past.Identity = identity.Output("hex")
	}
	if ca, ok := state.Lookup("k3s-ca-hash"); ok {
		past.CAHash = CAHashIn(ca.Output("stdout"))
	}
	for _, command := range append(state.Commands("members"), state.Commands("credential")...) {
		past.Cluster = true
		var asked struct {
			Members []Member        `json:"members"`
			Servers []remote.Target `json:"servers"`
		}
		if err := json.Unmarshal([]byte(command.Input("stdin")), &asked); err != nil ||
			len(past.Servers) > 0 {
			continue // encrypted
		}
		past.Servers = asked.Servers
		for _, server := range (Set{Members: asked.Members}).Servers() {
			past.Servers = append(past.Servers, server.Target)
		}
	}
	return past
}

// Keeps reports whether one of servers was a server of the cluster. It compares host keys; if one
// side has none, it compares addresses.
func (p Past) Keeps(servers []remote.Target) bool {
	for _, server := range servers {
		for _, old := range p.Servers {
			is, was := keysOf(server), keysOf(old)
			same := slices.ContainsFunc(is,
				func(key string) bool { return slices.Contains(was, key) })
			if same || server.Address == old.Address && (len(is) == 0 || len(was) == 0) {
				return true
			}
		}
	}
	return false
}

// keysOf returns the host keys of a target, without their comments.
func keysOf(target remote.Target) []string {
	var keys []string
	for line := range strings.Lines(strings.TrimSpace(target.HostKey)) {
		fields := strings.Fields(line)
		keys = append(keys, strings.Join(fields[:min(len(fields), 2)], " "))
	}
	return keys
}

// Login holds a server and the SSH private key for it.
type Login struct {
	Target remote.Target
	Key    []byte
}

// Allow returns an error if the stack has had a cluster and none of servers belongs to it, because
// they would start a second cluster. It returns nil if `strata restore --new-hosts` has copied the
// cluster's data to one of servers. It searches for the data only on hosts with a known host key.
func (p Past) Allow(ctx context.Context, stack string, servers []Login) error {
	var targets []remote.Target
	for _, server := range servers {
		targets = append(targets, server.Target)
	}
	if !p.Cluster || p.Keeps(targets) {
		return nil
	}
	for _, server := range servers {
		if server.Target.HostKey != "" && p.isRestored(ctx, server) {
			return nil
		}
	}
	return fmt.Errorf("layer k3s: expected a server that stack %s had before, by its host key or, "+
		"where that is unknown, by its address, found none: had %s, to be %s. "+
		"An up would found a second cluster without the first one's data; nothing was changed. "+
		"If a server lives, keep its address and "+
		"change the others first; a host that moved is known by its hosts.nodes[].ssh.hostKey. For new hosts only: "+
		"strata restore -s %s --new-hosts --file SNAPSHOT (docs/operations.md)", stack,
		addressesOf(p.Servers), addressesOf(targets), stack)
}

// addressesOf lists servers with their addresses and the fingerprints of their host keys.
func addressesOf(servers []remote.Target) string {
	var words []string
	for _, server := range servers {
		word := server.Name + " " + server.Address
		if keys := keysOf(server.PinsAsFingerprints()); len(keys) > 0 {
			word += " (" + strings.Join(keys, ", ") + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// Snapshot is the file to which `strata restore --new-hosts` copies the snapshot. The install of
// the first server restores it.
const Snapshot = "/var/lib/strata/restore.snapshot"

// restoredScript prints yes if the host belongs to the cluster and has its data or a snapshot to
// restore.
const restoredScript = `if [ "$(sed -n 's/^cluster=//p' /var/lib/strata/owner 2> /dev/null)" = "$identity" ]; then
	if [ -e ` + Snapshot + ` ] || [ -d /var/lib/rancher/k3s/server/db/etcd ]; then echo yes; fi
fi`

func (p Past) isRestored(ctx context.Context, server Login) bool {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	text, err := k3shost.Run(ctx, server.Target, server.Key,
		"identity="+remote.Quote(p.Identity)+"\n"+restoredScript)
	return err == nil && text == "yes"
}

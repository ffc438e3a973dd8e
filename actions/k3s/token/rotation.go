package token

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/verb"
	"strata/internal/k3shost"
	"strata/internal/ssh/remote"
)

// Rotate rotates the servers to the wanted token, and prints its generation. The SSH private key is
// in STRATA_SSH_KEY.
var Rotate = verb.New(func(ctx context.Context, call verb.Call, rotation Rotation) error {
	before, err := verb.Previous[Output](call)
	if err != nil {
		return err
	}
	if err := rotation.Run(ctx, SSH{Key: call.SSHKey()}, before.Generation,
		call.Stderr); err != nil {
		return fmt.Errorf("layer k3s: %w", err)
	}
	return call.WriteOutput(Output{Generation: rotation.Generation})
})

// Rotation is the input of Rotate.
type Rotation struct {
	// Timeout bounds the rotation.
	Timeout metav1.Duration `json:"timeout"`
	// Generation is that of the wanted token. It can only grow, because data that an earlier token
	// encrypts stays in etcd's files for a while.
	Generation int `json:"generation"`
	// Servers lists all servers. If empty, the run only records the generation.
	Servers []remote.Target `json:"servers,omitempty"`
	// Owner must own the hosts.
	Owner *k3shost.Owner `json:"owner,omitempty"`
	// Tokens lists the servers' tokens, from the first to the wanted one. Secret.
	Tokens []string `json:"tokens,omitempty"`
}

// Output is the output of Rotate, with which the next run compares.
type Output struct {
	Generation int `json:"generation"`
}

// pause is the time between two checks of the servers.
const pause = time.Second

// found is the state of one server.
type found struct {
	server remote.Target
	// data is true if the server has etcd data, runs if its K3s runs.
	data, runs bool
	// tokens are the indices of the tokens whose keys occur in etcd's files, perhaps as deleted
	// keys.
	tokens []int
}

// has reports whether a token's key occurs in the server's data.
func (f found) has(token int) bool { return slices.Contains(f.tokens, token) }

// Run rotates the token, and returns once every server's data can be decrypted with the wanted
// token. before is the generation that the last run printed; Run fails if Generation is lower.
func (r *Rotation) Run(ctx context.Context, hosts Hosts, before int, log io.Writer) error {
	if r.Generation < before {
		return fmt.Errorf("strata:k3s.tokenGeneration: expected at least %d, which the stack "+
			"has, found %d: a former token is known to whoever it was "+
			"taken from; count on", before, r.Generation)
	}
	if len(r.Servers) == 0 {
		return nil
	}
	asked := false
	for {
		all, err := r.look(ctx, hosts)
		if err != nil {
			return err
		}
		lacking := r.pendingServers(all)
		switch {
		case len(lacking) == 0:
			return nil
		case asked, len(lacking) < len(all): // the request was made, and the other servers follow
			err = mustRun(lacking)
		default:
			if err = mustRun(all); err == nil {
				err = r.ask(ctx, hosts, all[0], log)
				asked = true
			}
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the servers' token: %s has not got the new key from etcd: %w; is "+
				"etcd healthy there?", names(lacking), ctx.Err())
		case <-time.After(pause):
		}
	}
}

// look reads the state of all servers in parallel, and returns the states of those that have etcd
// data.
func (r *Rotation) look(ctx context.Context, hosts Hosts) ([]found, error) {
	all := make([]found, len(r.Servers))
	err := k3shost.ForEach(r.Servers, func(i int, server remote.Target) error {
		text, err := hosts.Run(ctx, server,
			r.Owner.WithNode(server.Name).Insists()+lookScript(r.Tokens))
		if err != nil {
			return fmt.Errorf("the servers' token: ask %s: %w", server.Name, err)
		}
		all[i] = r.parse(server, text)
		return nil
	})
	return slices.DeleteFunc(all, func(f found) bool { return !f.data }), err
}

func (r *Rotation) parse(server remote.Target, text string) found {
	f := found{server: server}
	for _, word := range strings.Fields(text) {
		switch word {
		case "data":
			f.data = true
		case "runs":
			f.runs = true
		default:
			if i := slices.IndexFunc(r.Tokens,
				func(token string) bool { return Key(token) == word }); i >= 0 {
				f.tokens = append(f.tokens, i)
			}
		}
	}
	return f
}

// lookScript prints "data" if the server has etcd data, "runs" if its K3s runs, and the keys of the
// tokens that occur in etcd's files.
func lookScript(tokens []string) string {
	keys := make([]string, len(tokens))
	for i, token := range tokens {
		keys[i] = Key(token)
	}
	return `members=/var/lib/rancher/k3s/server/db/etcd/member
if [ ! -e "$members" ]; then exit; fi
echo data
if systemctl is-active --quiet k3s; then echo runs; fi
for key in ` + strings.Join(keys, " ") + `; do
	if grep -aqrF "$key" "$members"; then echo "$key"; fi
done
`
}

// pendingServers returns the servers whose data cannot be decrypted with the wanted token yet.
func (r *Rotation) pendingServers(all []found) []found {
	wanted := len(r.Tokens) - 1
	return slices.DeleteFunc(slices.Clone(all), func(f found) bool { return f.has(wanted) })
}

// mustRun returns an error if K3s is stopped on one of servers. Such a server would miss the
// rotation. Later it could not start with the new token, because the old token encrypts its data.
func mustRun(servers []found) error {
	stopped := slices.DeleteFunc(slices.Clone(servers), func(f found) bool { return f.runs })
	if len(stopped) == 0 {
		return nil
	}
	return fmt.Errorf("the servers' token: expected K3s to run on every server, found it stopped "+
		"on %s, where it could not start with the new token: "+
		"start it (systemctl start k3s; journalctl -u k3s -e) and run pulumi up again, or take "+
		"the server out of strata:hosts.nodes first", names(stopped))
}

// ask makes the K3s of one server re-encrypt the cluster's keys with the wanted token.
func (r *Rotation) ask(ctx context.Context, hosts Hosts, at found, log io.Writer) error {
	wanted := len(r.Tokens) - 1
	if len(at.tokens) == 0 {
		return fmt.Errorf("the servers' token: %s has data that none of the stack's %d tokens "+
			"opens: bring the former state back (docs/host-ownership.md)",
			at.server.Name, len(r.Tokens))
	}
	former := slices.Max(at.tokens)
	if err := hosts.Rotate(ctx, at.server, r.Owner, r.Tokens[former],
		r.Tokens[wanted]); err != nil {
		return fmt.Errorf("the servers' token: %s: %w", at.server.Name, err)
	}
	_, _ = fmt.Fprintf(log, "token: %s has encrypted the cluster's keys with token %d in the "+
		"place of %d\n", at.server.Name, wanted, former)
	return nil
}

func names(servers []found) string {
	var words []string
	for _, f := range servers {
		words = append(words, f.server.Name)
	}
	return strings.Join(words, ", ")
}

package leftovers

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"strata/actions/hosts/hostrun"
	"strata/internal/pulumi/self"
	"strata/internal/pulumi/stackstate"
	"strata/internal/ssh/remote"
)

// dialLimit bounds how long a host has to answer: one that is there does so within a round trip or
// two.
const dialLimit = 10 * time.Second

// ShowUnreachable says which hosts still have an uninstall in the state that cannot run because the
// host does not answer, and how to go on without them. It changes nothing. The provider's own error
// names a dial, but neither the host nor a way out.
func ShowUnreachable(ctx context.Context, out io.Writer, stack string, state *stackstate.State) error {
	uninstalls, err := uninstallsIn(state)
	if err != nil {
		return err
	}
	return showUnreachable(out, stack, unreachable(ctx, uninstalls))
}

// uninstall is a command in the state that a destroy runs on a host.
type uninstall struct {
	urn    string
	target remote.Target
	key    []byte
	err    error // why the host cannot be reached
}

// uninstallsIn finds the commands that need their host when they are deleted: Strata's own, and
// those of the provider that a stack has from before (docs/adr/0045).
func uninstallsIn(state *stackstate.State) ([]uninstall, error) {
	var uninstalls []uninstall
	for _, command := range state.OfType(stackstate.LocalCommand) {
		if !strings.HasSuffix(command.Input("delete"), " host-run --delete") {
			continue
		}
		var asked hostrun.Input
		if err := json.Unmarshal([]byte(command.Input("stdin")), &asked); err != nil {
			return nil, fmt.Errorf("state of %s: its input has another form than this version of the program writes", command.URN)
		}
		uninstalls = append(uninstalls, uninstall{urn: string(command.URN), target: asked.Target, key: []byte(command.Environment(self.SSHKey))})
	}
	for _, command := range state.OfType(stackstate.RemoteCommand) {
		if command.Input("delete") == "" {
			continue
		}
		old, err := ofProvider(command)
		if err != nil {
			return nil, err
		}
		uninstalls = append(uninstalls, old)
	}
	return uninstalls, nil
}

// ofProvider is a remote command of the provider.
func ofProvider(command stackstate.Resource) (uninstall, error) {
	text, err := json.Marshal(command.Inputs["connection"])
	if err != nil {
		return uninstall{}, fmt.Errorf("state of %s: connection: %w", command.URN, err)
	}
	var connection struct {
		Host, User, PrivateKey, HostKey string
		Port                            float64
	}
	if err := json.Unmarshal(text, &connection); err != nil {
		return uninstall{}, fmt.Errorf("state of %s: connection has another form than this version of the program writes", command.URN)
	}
	return uninstall{urn: string(command.URN), key: []byte(connection.PrivateKey), target: remote.Target{
		Name: connection.Host, Address: connection.Host, User: connection.User, Port: int(connection.Port), HostKey: connection.HostKey,
	}}, nil
}

// unreachable tries to reach every host at once, and returns those that cannot be.
func unreachable(ctx context.Context, uninstalls []uninstall) []uninstall {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	var all sync.WaitGroup
	for i := range uninstalls {
		all.Go(func() {
			client, err := remote.Dial(ctx, uninstalls[i].target, uninstalls[i].key)
			if uninstalls[i].err = err; err == nil {
				_ = client.Close() // It answered; how it says goodbye changes nothing.
			}
		})
	}
	all.Wait()
	var dead []uninstall
	for _, one := range uninstalls {
		if one.err != nil {
			dead = append(dead, one)
		}
	}
	return dead
}

func showUnreachable(out io.Writer, stack string, dead []uninstall) error {
	var text strings.Builder
	for _, one := range dead {
		fmt.Fprintf(&text, "host %s cannot be reached, so K3s cannot be removed from it: %v\n", one.target, one.err)
		fmt.Fprintf(&text, "  bring it back and run the destroy again; or leave it as it is and take it out of the state:\n")
		fmt.Fprintf(&text, "  pulumi state delete --yes --stack %s '%s'\n", stack, one.urn)
	}
	if len(dead) == 0 {
		fmt.Fprintln(&text, "every host that still has something to uninstall answers; the error above has another cause")
	}
	_, err := io.WriteString(out, text.String())
	return err
}

package leftovers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"strata/actions/hosts/hostrun"
	"strata/internal/pulumi/self"
	"strata/internal/pulumi/stackstate"
	"strata/internal/ssh/remote"
)

// dialLimit bounds the connection to a host. A live host needs only a few round trips.
const dialLimit = 10 * time.Second

// ShowUnreachable prints the hosts that do not answer, each with the next command. A destroy cannot
// uninstall K3s there, and Pulumi's own error names neither the host nor the fix.
func ShowUnreachable(
	ctx context.Context, out io.Writer, stack string, state *stackstate.State,
) error {
	uninstalls, err := uninstallsIn(state)
	if err != nil {
		return err
	}
	return showUnreachable(out, stack, unreachable(ctx, uninstalls))
}

// Forget removes unreachable hosts from a stack's state, so that no later run tries to uninstall
// K3s there. It removes none if one of the hosts answers or is not in the state.
func Forget(
	ctx context.Context, log io.Writer, pulumi stackstate.Pulumi, stack string, nodes []string,
) error {
	state, err := pulumi.Read(ctx, stack)
	if err != nil {
		return err
	}
	uninstalls, err := uninstallsIn(state)
	if err != nil {
		return err
	}
	named, err := pickNodes(uninstalls, nodes)
	if err != nil {
		return fmt.Errorf("repair --forget: nothing was removed: %w", err)
	}
	dead := unreachable(ctx, named)
	for _, one := range named {
		if !slices.ContainsFunc(dead, func(other uninstall) bool { return other.urn == one.urn }) {
			return fmt.Errorf("repair --forget: nothing was removed: host %s answers: `pulumi destroy`, or `pulumi up` "+
				"without it in strata:hosts.nodes, uninstalls K3s there", one.target)
		}
	}
	for _, one := range dead {
		if _, err := pulumi(ctx, nil, "state", "delete", "--yes", "--stack", stack,
			one.urn); err != nil {
			return fmt.Errorf("repair --forget %s: %w", one.node(), err)
		}
		_, _ = fmt.Fprintf(log, "repair: removed host %s from the state: %v\n", one.target, one.err)
	}
	return nil
}

// pickNodes returns the uninstalls of the named nodes. It fails if a node has no uninstall.
func pickNodes(uninstalls []uninstall, nodes []string) (named []uninstall, err error) {
	for _, node := range nodes {
		before := len(named)
		for _, one := range uninstalls {
			if one.node() == node {
				named = append(named, one)
			}
		}
		if len(named) == before {
			err = errors.Join(err, fmt.Errorf(
				"the state has no host of node %s to uninstall", node))
		}
	}
	return named, err
}

// node returns the name of the host's node, or the address if the state has no name.
func (u uninstall) node() string { return cmp.Or(u.target.Name, u.target.Address) }

// uninstall is a command in the state that runs on a host when its resource is deleted.
type uninstall struct {
	urn    string
	target remote.Target
	key    []byte
	err    error // the reason why the host cannot be reached
}

// uninstallsIn returns the command resources in a state whose delete connects to a host.
func uninstallsIn(state *stackstate.State) ([]uninstall, error) {
	var uninstalls []uninstall
	for _, command := range state.OfType(stackstate.LocalCommand) {
		if !strings.HasSuffix(command.Input("delete"), " host-run --delete") {
			continue
		}
		var asked hostrun.Input
		if err := json.Unmarshal([]byte(command.Input("stdin")), &asked); err != nil {
			return nil, fmt.Errorf("state of %s: its input has another form than this version of "+
				"the program writes", command.URN)
		}
		uninstalls = append(uninstalls, uninstall{urn: string(command.URN), target: asked.Target,
			key: []byte(command.Environment(self.SSHKey))})
	}
	return uninstalls, nil
}

// unreachable connects to all hosts in parallel, and returns the uninstalls whose host does not
// answer, each with its error.
func unreachable(ctx context.Context, uninstalls []uninstall) []uninstall {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	var all sync.WaitGroup
	for i := range uninstalls {
		all.Go(func() {
			client, err := remote.Dial(ctx, uninstalls[i].target, uninstalls[i].key)
			if uninstalls[i].err = err; err == nil {
				_ = client.Close() // The host has answered, so an error of the close does not matter.
			}
		})
	}
	all.Wait()
	return slices.DeleteFunc(slices.Clone(uninstalls),
		func(one uninstall) bool { return one.err == nil })
}

func showUnreachable(out io.Writer, stack string, dead []uninstall) error {
	var text strings.Builder
	for _, one := range dead {
		fmt.Fprintf(&text, "host %s cannot be reached, so K3s cannot be removed from it: %v\n",
			one.target, one.err)
		fmt.Fprintf(&text, "  bring it back and run the destroy again; if it is gone for good: "+
			"strata repair -s %s --forget %s\n",
			stack, one.node())
	}
	if len(dead) == 0 {
		fmt.Fprintln(&text, "every host in the state answers")
	}
	_, err := io.WriteString(out, text.String())
	return err
}

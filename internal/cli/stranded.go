package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"strata/internal/remote"
	"strata/internal/stackstate"
)

// strandedDial bounds how long a host has to answer: one that is there does so within a round trip or two.
const strandedDial = 10 * time.Second

// newStrandedCommand is `strata stranded`: after a destroy that failed, which hosts still have an uninstall in the state that
// cannot run because the host does not answer, and how to go on without them; after an up that was killed, which virtual machines
// of the stack its hypervisor has and the state does not. It changes nothing. The provider's own error names a dial, but neither the
// host nor a way out.
func newStrandedCommand() *cobra.Command {
	var stack, project, file string
	command := &cobra.Command{
		Use:   "stranded",
		Short: "Say which dead hosts keep a destroy from ending, which machines the state does not know, and how to go on",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := stackstate.CommandLine(project).Read(cmd.Context(), stack)
			if err != nil {
				return err
			}
			uninstalls, err := uninstallsIn(state)
			if err != nil {
				return err
			}
			if file == "" {
				file = filepath.Join(project, "Pulumi."+stack+".yaml")
			}
			return errors.Join(
				showStranded(cmd.OutOrStdout(), stack, askHosts(cmd.Context(), uninstalls)),
				lookForStrays(cmd, file, project, state),
			)
		},
	}
	ofStack(command, &stack, &project)
	command.Flags().StringVar(&file, "config-file", "", "the stack's file, which names its hypervisor (default Pulumi.STACK.yaml in the project)")
	return command
}

// uninstall is a command in the state that a destroy runs on a host.
type uninstall struct {
	urn    string
	target remote.Target
	key    []byte
	err    error // why the host cannot be reached
}

// uninstallsIn finds the commands that need their host when they are deleted.
func uninstallsIn(state *stackstate.State) ([]uninstall, error) {
	var uninstalls []uninstall
	for _, command := range state.OfType(stackstate.RemoteCommand) {
		if command.Input("delete") == "" {
			continue
		}
		text, err := json.Marshal(command.Inputs["connection"])
		if err != nil {
			return nil, fmt.Errorf("state of %s: connection: %w", command.URN, err)
		}
		var connection struct {
			Host, User, PrivateKey, HostKey string
			Port                            float64
		}
		if err := json.Unmarshal(text, &connection); err != nil {
			return nil, fmt.Errorf("state of %s: connection has another form than this version of the program writes", command.URN)
		}
		uninstalls = append(uninstalls, uninstall{urn: string(command.URN), key: []byte(connection.PrivateKey), target: remote.Target{
			Name: connection.Host, Address: connection.Host, User: connection.User, Port: int(connection.Port), HostKey: connection.HostKey,
		}})
	}
	return uninstalls, nil
}

// askHosts tries to reach every host at once, and returns those that cannot be.
func askHosts(ctx context.Context, uninstalls []uninstall) []uninstall {
	ctx, cancel := context.WithTimeout(ctx, strandedDial)
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
	var stranded []uninstall
	for _, one := range uninstalls {
		if one.err != nil {
			stranded = append(stranded, one)
		}
	}
	return stranded
}

func showStranded(out io.Writer, stack string, stranded []uninstall) error {
	var text strings.Builder
	for _, one := range stranded {
		fmt.Fprintf(&text, "host %s cannot be reached, so K3s cannot be removed from it: %v\n", one.target, one.err)
		fmt.Fprintf(&text, "  bring it back and run the destroy again; or leave it as it is and take it out of the state:\n")
		fmt.Fprintf(&text, "  pulumi state delete --yes --stack %s '%s'\n", stack, one.urn)
	}
	if len(stranded) == 0 {
		fmt.Fprintln(&text, "every host that still has something to uninstall answers; the error above has another cause")
	}
	_, err := io.WriteString(out, text.String())
	return err
}

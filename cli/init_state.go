package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"strata/cli/localstate"
	"strata/cli/scaffold"
	"strata/config"
)

// stateChosenBy returns the setting that already chooses a state or a passphrase. If there is one,
// it refuses --local-state: the stack would be in another place than the user expects. The state
// that --local-state prepared before is no other place.
func (f initFlags) stateChosenBy() (string, error) {
	chosen, err := localstate.FindChoice(f.project)
	if err == nil && f.localState && chosen != "" && !localstate.IsSelected() {
		err = fmt.Errorf("--local-state: a state or a passphrase is chosen already, by %s; take "+
			"that back, or leave the flag out", chosen)
	}
	return chosen, err
}

// prepareState prepares a state in the home directory if the flag or the user at the terminal says
// so. It returns the shell file that selects it.
func (f initFlags) prepareState(cmd *cobra.Command, chosen string) (string, error) {
	switch {
	case chosen != "":
		return "", nil
	case !f.localState && !term.IsTerminal(int(os.Stdin.Fd())):
		_, err := fmt.Fprint(cmd.OutOrStdout(),
			"\nChoose where Pulumi keeps the state, and a passphrase (docs/getting-started.md, "+
				"\"Where the state is\").\n")
		return "", err
	case !f.localState:
		if yes, err := asks(cmd, "\nNo state and no passphrase is chosen. Keep both in "+
			"~/.strata, for you alone? [y/N] "); err != nil || !yes {
			return "", err
		}
	}
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	return localstate.Prepare(filepath.Dir(program))
}

// initState prepares the state alone, for a stack whose file names no hosts.
func (f initFlags) initState(cmd *cobra.Command, stack string) error {
	chosen, err := f.stateChosenBy()
	if err := errors.Join(scaffold.CheckStackName(stack), err); err != nil {
		return &exitError{2, fmt.Errorf("init: nothing was written:\n%w", err)}
	}
	env, err := f.prepareState(cmd, chosen)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "No --host: the state is prepared, and %s is yours to "+
		"write (docs/existing-clusters.md).", filepath.Base(config.StackFile(f.project, stack)))
	return errors.Join(err, scaffold.WriteNext(cmd.OutOrStdout(), stack, env, ""))
}

// asks asks a question at the terminal; anything but a yes is a no.
func asks(cmd *cobra.Command, question string) (bool, error) {
	if _, err := fmt.Fprint(cmd.OutOrStdout(), question); err != nil {
		return false, err
	}
	line := bufio.NewScanner(cmd.InOrStdin())
	line.Scan()
	answer := strings.ToLower(strings.TrimSpace(line.Text()))
	return answer == "y" || answer == "yes", line.Err()
}

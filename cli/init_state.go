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

// stateChosenBy returns the setting that already selects a state backend or a passphrase; empty if
// there is none. With such a setting, it returns an error for --local-state, because Pulumi would
// not use the new state folder. Settings of an earlier --local-state are no error.
func (f initFlags) stateChosenBy() (string, error) {
	chosen, err := localstate.FindChoice(f.project)
	if err == nil && f.localState && chosen != "" && !localstate.IsSelected() {
		err = fmt.Errorf("--local-state: a state or a passphrase is chosen already, by %s; take "+
			"that back, or leave the flag out", chosen)
	}
	return chosen, err
}

// prepareState prepares a state in the home directory if --local-state is set, or if the user
// agrees at the terminal. It returns the path of the shell file that selects this state; empty if
// it prepared none.
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

// initState only prepares the state, for a stack without --host.
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

// asks prints a question and reads the answer. It returns true for y or yes, and false for any
// other answer.
func asks(cmd *cobra.Command, question string) (bool, error) {
	if _, err := fmt.Fprint(cmd.OutOrStdout(), question); err != nil {
		return false, err
	}
	line := bufio.NewScanner(cmd.InOrStdin())
	line.Scan()
	answer := strings.ToLower(strings.TrimSpace(line.Text()))
	return answer == "y" || answer == "yes", line.Err()
}

package cli

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"strata/cli/localstate"
)

// stateChosenBy returns the setting that already chooses a state or a passphrase. If there is one,
// it refuses --local-state: the stack would be in another place than the user expects.
func (f initFlags) stateChosenBy() (string, error) {
	chosen, err := localstate.FindChoice(f.project)
	if err == nil && f.localState && chosen != "" {
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

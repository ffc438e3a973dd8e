package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"strata/artifacts/manifest"
	"strata/cli/podcheck"
)

// newCheckCommand is `strata check`: it reads files and sends no request.
func newCheckCommand() *cobra.Command {
	command := &cobra.Command{Use: "check", Short: "Check manifests for what goes wrong only later"}
	command.AddCommand(&cobra.Command{
		Use:   "pods FILE...",
		Short: "Refuse Pods that mount a certificate's Secret without waiting for it; - reads stdin, for example of helm template",
		Args:  cobra.MinimumNArgs(1),
		RunE:  checkPods,
	})
	return command
}

// checkPods exits with 0 when every Pod waits, 1 when one does not, and 2 when a file or a Pod
// specification cannot be read, whatever the others say.
func checkPods(cmd *cobra.Command, files []string) error {
	var objects []manifest.Manifest
	var wrong []error
	for _, file := range files {
		text, err := readFile(cmd, file)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", file, err))
			continue
		}
		parsed, err := manifest.Parse(file, text)
		objects, wrong = append(objects, parsed...), append(wrong, err)
	}
	report := podcheck.Find(objects)
	for _, finding := range report.Findings {
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), finding); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintln(cmd.ErrOrStderr(), report); err != nil {
		return err
	}
	if err := errors.Join(append(wrong, report.Unread...)...); err != nil {
		return &exitError{2, err}
	}
	if len(report.Findings) > 0 {
		return &exitError{1, fmt.Errorf("%d of the Pods' certificates are not waited for", len(report.Findings))}
	}
	return nil
}

func readFile(cmd *cobra.Command, file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(cmd.InOrStdin())
	}
	return os.ReadFile(file)
}

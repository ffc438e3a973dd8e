package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"strata/artifacts/manifest"
	"strata/cli/podcheck"
)

// newCheckCommand returns `strata check`, which reads only files and sends no request.
func newCheckCommand() *cobra.Command {
	command := &cobra.Command{Use: "check",
		Short: "Check manifests for problems that show only later"}
	command.AddCommand(newCheckPodsCommand())
	return command
}

// newCheckPodsCommand returns `strata check pods`. It exits with 0 if no Pod breaks a rule, and
// with 1 if one does. It exits with 2 if a file or a Pod specification cannot be read.
func newCheckPodsCommand() *cobra.Command {
	options := podcheck.Options{}
	var output, skip string
	command := &cobra.Command{
		Use:   "pods FILE...",
		Short: "Find Pods that lose requests when they are replaced, or start without a certificate; - reads stdin",
		Long: "Give all files of an application together, such as helm template … | strata check pods -: a Pod's\n" +
			"Service, PodDisruptionBudget and Certificate count. Objects without a namespace belong to the namespace\n" +
			"that all others name, or else to default. An object may break rules that its annotation\n" +
			podcheck.SkipAnnotation + " names. The rules: " + strings.Join(podcheck.Rules(), ", ") +
			".\n\n" +
			"Exits with 1 if a Pod breaks a rule, and with 2 if something cannot be read. " +
			"--output patch prints patches\n" +
			"for kubectl patch --patch-file and kustomize, and the PodDisruptionBudgets to add.",
		Args: checkFiles,
		RunE: func(cmd *cobra.Command, files []string) error {
			var err error
			if options.Skip, err = podcheck.ParseSkip(skip); err != nil {
				return &exitError{2, fmt.Errorf("--skip: %w", err)}
			}
			if !slices.Contains([]string{"text", "json", "patch"}, output) {
				return &exitError{2, fmt.Errorf("--output: expected text, json or patch, found %q",
					output)}
			}
			return checkPods(cmd, files, options, output)
		},
	}
	command.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &exitError{2, err} })
	command.Flags().StringVarP(&output, "output", "o", "text", "text, json or patch")
	command.Flags().StringVar(&skip, "skip", "", "rules that are not checked, separated by commas")
	command.Flags().DurationVar(&options.PreStop, "pre-stop", 15*time.Second,
		"the time in which ingress controllers may still send requests to a Pod that stops")
	command.Flags().DurationVar(&options.LongestRequest, "longest-request", 30*time.Second,
		"the longest time of a request")
	return command
}

// checkFiles refuses a command line without files, and a second -, because stdin is read only once.
func checkFiles(cmd *cobra.Command, files []string) error {
	err := cobra.MinimumNArgs(1)(cmd, files)
	if first := slices.Index(files, "-"); slices.Contains(files[first+1:], "-") {
		err = errors.New("- is named twice, but stdin can be read only once: remove one")
	}
	if err != nil {
		return &exitError{2, err}
	}
	return nil
}

func checkPods(cmd *cobra.Command, files []string, options podcheck.Options, output string) error {
	objects, wrong := readManifests(cmd, files)
	report := podcheck.Check(objects, options)
	report.Unread = append(wrong, report.Unread...)
	if err := report.Write(cmd.OutOrStdout(), output); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(cmd.ErrOrStderr(), report); err != nil {
		return err
	}
	if len(report.Unread) > 0 {
		return &exitError{2, errors.Join(report.Unread...)}
	}
	if n := len(report.Findings); n > 0 {
		text := fmt.Sprintf("%d findings", n)
		if output != "patch" && len(report.Patches) > 0 {
			text += "; --output patch prints patches for them"
		}
		return &exitError{1, errors.New(text)}
	}
	return nil
}

// readManifests reads the objects of all readable files. It returns an error for each file that it
// cannot read.
func readManifests(cmd *cobra.Command, files []string) (objects []manifest.Manifest,
	wrong []error) {
	for _, file := range files {
		text, err := readFile(cmd, file)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", file, err))
			continue
		}
		parsed, err := manifest.Parse(file, text)
		objects = append(objects, parsed...)
		if err != nil {
			wrong = append(wrong, err)
		}
	}
	return objects, wrong
}

func readFile(cmd *cobra.Command, file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(cmd.InOrStdin())
	}
	return os.ReadFile(file)
}

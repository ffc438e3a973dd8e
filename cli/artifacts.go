package cli

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"strata/artifacts"
	"strata/artifacts/ownimage"
	"strata/config"
)

// newFetchCommand returns `strata fetch`, which downloads the pinned artifacts and records their
// sums.
func newFetchCommand() *cobra.Command {
	var project string
	var files []string
	var images bool
	command := &cobra.Command{
		Use:   "fetch",
		Short: "Download the pinned artifacts from upstream and record their sums in strata.lock",
		Long: "Download every pinned artifact (docs/versions.md), at the versions that the " +
			"project's stack files name, check\n" +
			"each against upstream's own sums and against strata.lock, and write strata.lock. " +
			"Downloads are kept in the\n" +
			"user's cache and resume where they stopped. strata:artifacts.mirror, or the " +
			"variable STRATA_MIRROR, names a mirror of them.\n" +
			"With --images also ask the registries of every stack with upstream artifacts for " +
			"the digests of its images and record them: what Pods\n" +
			"run is compared with them from then on.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			pins, from, err := artifacts.ProjectPins(project, files...)
			if err != nil {
				return err
			}
			if err := artifacts.Fetch(cmd.Context(), project, from, pins,
				cmd.ErrOrStderr()); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s has the sums of %d artifacts; commit it\n",
				artifacts.LockFile, len(pins))
			if err != nil || !images {
				return err
			}
			return recordImages(cmd, project, files)
		},
	}
	command.Flags().StringVar(&project, "project", ".", "the project's folder")
	command.Flags().StringSliceVar(&files, "config-file", nil,
		"a stack file to read in place of all of the project's")
	command.Flags().BoolVar(&images, "images", false,
		"record the digests of the images too; the first time compiles for a minute or two")
	return command
}

// recordImages records the digests of the images of each stack, one stack per file.
func recordImages(cmd *cobra.Command, project string, files []string) error {
	files, stacks, err := artifacts.StackConfigs(project, files)
	for i, cfg := range stacks {
		left := "the images of stack " + cfg.Stack + " are not recorded"
		if err := runBundle(cmd, "fetch --images", left, project, cfg.Stack, files[i]); err != nil {
			return err
		}
	}
	return err
}

// newImageCommand returns `strata image`, which writes an archive of one of Strata's own images.
func newImageCommand() *cobra.Command {
	var project, output, reference, arch string
	command := &cobra.Command{
		Use: "image " + strings.Join(imageNames(), "|"),
		Short: "Write an image of this repository's own, which no registry has, as an archive " +
			"for ctr, kind, k3d, Docker or skopeo",
		Long: "Compile one of this repository's own programs and write its image as an archive, as `docker save` does. It needs Go and neither\n" +
			"Docker nor a registry. Hosts of a stack's own get these images by themselves; an " +
			"existing cluster's nodes get them by its owner:\n" +
			"kind load image-archive FILE, k3d image import FILE, k3s ctr images import FILE; " +
			"docs/existing-clusters.md.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(imageNames(), args[0]) {
				return &exitError{2, fmt.Errorf("image: expected one of %s, found %s",
					strings.Join(imageNames(), ", "), strings.Join(args, " "))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			image := config.OwnImages[slices.Index(imageNames(), args[0])]
			if reference == "" {
				reference = image.Reference()
			}
			if output == "" {
				output = image.Name + ".tar"
			}
			if err := ownimage.Write(cmd.Context(), project, image, reference, arch,
				output); err != nil {
				return err
			}
			text := fmt.Sprintf("%s has %s for linux/%s\n", output, reference, arch)
			if image.Key != "" {
				text += fmt.Sprintf("a stack uses it by: pulumi config set --path strata:%s %s\n",
					image.Key, reference)
			}
			_, err := fmt.Fprint(cmd.OutOrStdout(), text)
			return err
		},
	}
	command.Flags().StringVar(&project, "project", ".", "the project's folder")
	command.Flags().StringVarP(&output, "output", "o", "", "the archive's file (default NAME.tar)")
	command.Flags().StringVar(&reference, "reference", "",
		"what Pods call the image (default localhost/strata/NAME:VERSION)")
	command.Flags().StringVar(&arch, "arch", runtime.GOARCH,
		"the nodes' architecture: amd64 or arm64")
	return command
}

// imageNames returns the names of the images that `strata image` can build.
func imageNames() (names []string) {
	for _, image := range config.OwnImages {
		names = append(names, image.Name)
	}
	return names
}

// Command originals fills a folder with upstream artifacts: the pinned artifacts of a stack, and
// Pulumi's official plugins. The lab uses them in place of its own (ORIGINALS=DIR).
//
//	go run ./tests/originals -into DIR Pulumi.STACK.yaml
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"strata/artifacts"
	"strata/config"
)

func main() {
	into := flag.String("into", "", "the folder")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := fill(ctx, *into, flag.Arg(0), os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "originals:", err)
		// os.Exit skips deferred calls, which the end of the process makes unnecessary.
		os.Exit(1)
	}
}

// fill downloads the artifacts that a stack file pins into a folder. It fails if an artifact is
// missing.
func fill(ctx context.Context, into, stackFile string, log io.Writer) error {
	if into == "" {
		return errors.New("expected -into DIR")
	}
	cfg, err := config.FromFile(stackFile)
	if err != nil {
		return err
	}
	pins, err := published(cfg)
	if err != nil {
		return err
	}
	known, err := artifacts.ReadLock(".")
	if err != nil {
		return err
	}
	filled, err := artifacts.Originals(ctx, into, known, cfg.Artifacts, pins, log)
	if err != nil {
		return err
	}
	for _, file := range filled.Left {
		if _, err := fmt.Fprintf(log, "%s: was there, and stays, with what goes with it\n",
			file); err != nil {
			return err
		}
	}
	if filled.Missing != nil {
		return fmt.Errorf("%s has %d of what is pinned; missing is:\n%w", into, len(filled.Names),
			filled.Missing)
	}
	_, err = fmt.Fprintf(log, "%s has all %d: %s\n", into, len(filled.Names),
		strings.Join(filled.Names, ", "))
	return err
}

// published returns the pins of artifacts that can be downloaded: neither images that Strata
// builds, nor disk images.
func published(cfg *config.Config) (pins []config.Pin, err error) {
	arch := cfg.Hosts.Arch
	if arch == "" {
		arch = runtime.GOARCH
	}
	for _, pin := range cfg.Pins() {
		_, built := config.BuiltImage(pin.URL)
		if !built && pin.Name != config.ArtifactVMImage && (pin.Arch == "" || pin.Arch == arch) {
			pins = append(pins, pin)
		}
	}
	plugins, err := artifacts.PluginPins(".", runtime.GOARCH)
	return append(pins, plugins...), err
}

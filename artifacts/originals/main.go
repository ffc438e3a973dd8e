// Command originals fills a folder with upstream artifacts: the pinned artifacts of a stack, and
// Pulumi's official plugins. The lab uses them in place of its own (ORIGINALS=DIR). It is no
// subcommand of strata because `make up` runs it before the build.
//
//	go run ./artifacts/originals -into DIR [-for-up LIST [-is-up] -pending FILE|-apart DIR] Pulumi.STACK.yaml
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"strata/artifacts"
	"strata/config"
)

func main() {
	var r request
	flag.StringVar(&r.into, "into", "", "the folder")
	flag.StringVar(&r.list, "for-up", "",
		"only what the stack needs and this machine can run; what cannot be had is no error, and one line says what was chosen. "+
			"The `file` has where each artifact comes from")
	flag.StringVar(&r.pending, "pending", "",
		"with -for-up: the `file` that gets what that list is once something is brought up")
	flag.StringVar(&r.apart, "apart", "",
		"with -for-up, of a preview: where the folder has to change, this `folder` is filled instead, and is printed")
	flag.BoolVar(&r.isUp, "is-up", false,
		"with -for-up: the stack is up, and has from where that file says what it was brought up with")
	flag.Parse()
	r.stackFile = flag.Arg(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := r.fill(ctx, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "originals:", err)
		// os.Exit runs no deferred call; the process ends anyway.
		os.Exit(1)
	}
}

// request describes a folder to fill for the stack of a file.
type request struct {
	stackFile, into string
	// list is the file with the sources of a stack's artifacts, for an update. isUp is true if the
	// stack is deployed with this list.
	list string
	isUp bool
	// pending is the file for the new list, which becomes list once the update has begun. If empty,
	// no list is kept.
	pending string
	// apart is the folder that a preview fills instead of into. Empty without a preview.
	apart string
}

// fill fills the folder. For an update it prints the folder's path if the folder has files.
func (r *request) fill(ctx context.Context, out, log io.Writer) error {
	if r.into == "" {
		return errors.New("expected -into DIR")
	}
	cfg, err := config.FromFile(r.stackFile)
	if err != nil {
		return err
	}
	pins, unfit, err := wanted(cfg, r.list != "")
	if err != nil {
		return err
	}
	known, err := artifacts.ReadLock(".")
	if err != nil {
		return err
	}
	download := func(pins []config.Pin) (artifacts.Filled, error) {
		return artifacts.Originals(ctx, r.into, known, cfg.Artifacts, pins, log)
	}
	if r.list == "" {
		filled, err := download(pins)
		if err != nil {
			return err
		}
		return said(filled, r.into, log)
	}
	filled, err := r.forUp(pins, download, log)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(log, choice(cfg.Stack, pins, filled, unfit, r.isUp)); err != nil {
		return err
	}
	if len(filled.Names) == 0 {
		return nil
	}
	path, err := filepath.Abs(r.into)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, path)
	return err
}

// forUp downloads the available pins of a new stack. For a deployed stack it downloads upstream
// artifacts whose version changed, and artifacts that are new to the stack.
func (r *request) forUp(
	pins []config.Pin, download func([]config.Pin) (artifacts.Filled, error), log io.Writer,
) (filled artifacts.Filled, err error) {
	from := chosen{}
	if r.isUp {
		if from, err = readChosen(r.list, r.into, pins); err != nil {
			return filled, err
		}
	}
	asked := from.offered(pins)
	there, err := r.hasAll(asked, log)
	if err != nil {
		return filled, err
	}
	if there { // without a network, and with any download cache
		for _, pin := range asked {
			filled.Names = append(filled.Names, pin.Name)
		}
	} else if filled, err = r.change(asked, download); err != nil {
		return filled, err
	}
	if err := from.lost(asked, filled); err != nil {
		return filled, err
	}
	if there && r.apart != "" {
		return filled, nil // the folder is the up's
	}
	return filled, errors.Join(removeOthers(r.into, pins, filled), r.keep(from, pins, filled))
}

// change fills the folder, or for a preview the one apart.
func (r *request) change(
	asked []config.Pin, download func([]config.Pin) (artifacts.Filled, error),
) (filled artifacts.Filled, err error) {
	if r.apart != "" {
		if err := copyLinks(r.into, r.apart); err != nil {
			return filled, err
		}
		r.into = r.apart
	}
	return download(asked)
}

// copyLinks recreates a preview's folder with links to another folder's files. If that does not
// exist, the new folder is empty.
func copyLinks(from, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") { // a lock, or half of a file
			continue
		}
		if err := os.Link(filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

// keep writes the list for the next run to the pending file. The list counts once the update
// begins: until then nothing is deployed, and another call may choose otherwise.
func (r *request) keep(from chosen, pins []config.Pin, filled artifacts.Filled) error {
	if r.pending == "" {
		return nil
	}
	from.update(pins, filled)
	return from.write(r.pending)
}

// hasAll reports whether the stack is deployed and its folder has all files that may be downloaded.
// It logs a file that differs from its download, because the lab would enter that file's sum in its
// manifest.
func (r *request) hasAll(asked []config.Pin, log io.Writer) (bool, error) {
	if !r.isUp {
		return false, nil
	}
	lock, err := artifacts.ReadLock(r.into)
	if err != nil {
		return false, err
	}
	err = intact(r.into, lock, asked)
	var changed *artifacts.SumError
	switch {
	case err == nil:
		return true, nil
	case errors.As(err, &changed):
		_, err := fmt.Fprintf(log, "%v; it is downloaded again\n", changed)
		return false, err
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	}
	return false, err
}

// said prints the folder's contents, and returns an error if an artifact is missing.
func said(filled artifacts.Filled, into string, log io.Writer) error {
	for _, file := range filled.Left {
		if _, err := fmt.Fprintf(log, "%s: was there, and stays, with what goes with it\n", file); err != nil {
			return err
		}
	}
	if filled.Missing != nil {
		return fmt.Errorf("%s has %d of what is pinned; missing is:\n%w", into, len(filled.Names), filled.Missing)
	}
	_, err := fmt.Fprintf(log, "%s has all %d: %s\n", into, len(filled.Names), strings.Join(filled.Names, ", "))
	return err
}

// wanted returns the pins that a folder can have: no built image and no disk image. For an update
// it returns those that the stack needs, less those that cannot run here; unfit has the reason.
func wanted(cfg *config.Config, forUp bool) (pins []config.Pin, unfit string, err error) {
	arch := cfg.Hosts.Arch
	if arch == "" {
		arch = runtime.GOARCH
	}
	if forUp {
		unfit = refusal(cfg)
	}
	for _, pin := range cfg.Pins() {
		_, built := config.BuiltImage(pin.URL)
		isK3s := slices.Contains([]string{config.ArtifactK3s, config.ArtifactK3sInstall, config.ArtifactK3sImages},
			pin.Name)
		switch {
		case built, pin.Name == config.ArtifactVMImage, pin.Arch != "" && pin.Arch != arch:
		case forUp && !slices.Contains(cfg.Needed(), pin.Name):
		case unfit != "" && isK3s:
		default:
			pins = append(pins, pin)
		}
	}
	plugins, err := artifacts.PluginPins(".", runtime.GOARCH)
	return append(pins, plugins...), unfit, err
}

// refusal returns why the pinned K3s is left out; empty if it is not. Containers need settings for
// K3s that depend on its release and on this machine's control groups. The pinned release was never
// run in one (docs/originals.md). A user who has tried it passes it in ORIGINALS.
func refusal(cfg *config.Config) string {
	if !strings.HasPrefix(cfg.Hosts.SSH.KeyFile, ".strata/lab/") {
		return ""
	}
	return "k3s: machines of the lab keep the lab's, which is made for its containers"
}

// choice returns the line that says which artifacts a run takes from upstream, which it compiles,
// and why.
func choice(stack string, pins []config.Pin, filled artifacts.Filled, unfit string, isUp bool) string {
	var reasons []string
	if isUp {
		reasons = append(reasons, "as it was brought up with")
	}
	if unfit != "" {
		reasons = append(reasons, unfit)
	}
	if filled.Missing != nil {
		first, _, _ := strings.Cut(filled.Missing.Error(), "\n")
		first, _, _ = strings.Cut(first, "; ") // the advice is for users who chose no source
		reasons = append(reasons, first)
	}
	var compiled []string
	for _, pin := range pins {
		if !slices.Contains(filled.Names, pin.Name) {
			compiled = append(compiled, pin.Name)
		}
	}
	text := fmt.Sprintf("Artifacts of stack %s: %d downloads of upstream's", stack, len(filled.Names))
	switch {
	case len(filled.Names) == 0:
		text = fmt.Sprintf("Artifacts of stack %s: the lab's, compiled here", stack)
	case len(compiled) > 0 || unfit != "":
		text += ", and the lab's for the rest"
	}
	if len(compiled) > 0 && len(filled.Names) > 0 {
		text += ": " + strings.Join(compiled, ", ")
	}
	if len(reasons) > 0 {
		text += " (" + strings.Join(reasons, "; ") + ")"
	}
	return text + ". ARTIFACTS=lab or upstream decides otherwise"
}

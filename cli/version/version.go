// Package version describes this program: its sources, compiler and system, and the releases that
// it was made for.
package version

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"strata/config"
	"strata/internal/files/digest"
	"strata/internal/pulumi/self"
	"strata/internal/text/table"
)

// number and commit are set by `make build` (-ldflags -X) from `git describe` and `git rev-parse`.
// Builds by Pulumi and in the lab set neither: otherwise each new commit would force a new link of
// the binary, even if no code changed.
var number, commit string

// Unknown is the value of a property that the build did not record.
const Unknown = "unknown"

// Info describes a binary.
type Info struct {
	// Version is the release, or the output of git describe; Commit is the commit's hash. Both
	// default to Unknown.
	Version string `json:"version"`
	Commit  string `json:"commit"`
	// Checkout is the output of git describe in the project's folder, from which Pulumi builds the
	// program in the next run. It differs from Version if the checkout has changed since the last
	// run. It is empty outside a checkout, and without git.
	Checkout string `json:"checkout,omitempty"`
	// SHA256 is the sum of the binary. It is the same for builds of one commit with the same Go and
	// flags.
	SHA256 string `json:"sha256"`
	// Go is the version of the compiler. OS and Arch are the target, in Go's terms.
	Go   string `json:"go"`
	OS   string `json:"os"`
	Arch string `json:"arch"`
	// Pins are the pinned releases of this version, in the order of config.Pins.
	Pins []Pin `json:"pins"`
}

// Pin is a release that is installed unless the configuration names another one.
type Pin struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Read returns the description of the running program.
func Read(ctx context.Context) (Info, error) {
	built, _ := debug.ReadBuildInfo()
	info := describe(built, number, commit)
	executable, err := os.Executable()
	if err == nil {
		info.SHA256, err = digest.File(executable)
	}
	if err != nil {
		return info, fmt.Errorf("own executable: %w", err)
	}
	if project, installed := strings.CutSuffix(executable,
		string(filepath.Separator)+filepath.FromSlash(self.Path)); installed {
		info.Checkout = checkout(ctx, project)
	}
	return info, nil
}

// checkout returns the output of git describe for a project. It bounds git in time, because a
// folder on a network may hang.
func checkout(ctx context.Context, project string) string {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	// If git fails, out is empty.
	out, _ := exec.CommandContext(ctx, "git", "-C", project, "describe", "--tags", "--always",
		"--dirty").Output()
	return strings.TrimSpace(string(out))
}

// describe returns the description of a build. built is nil for a build without modules. number and
// commit override what Go recorded.
func describe(built *debug.BuildInfo, number, commit string) Info {
	info := Info{Version: number, Commit: commit, Go: runtime.Version(), OS: runtime.GOOS,
		Arch: runtime.GOARCH, Pins: pins()}
	if built != nil {
		if built.Main.Version != "(devel)" { // Go writes (devel) if it has no version
			info.Version = cmp.Or(info.Version, built.Main.Version)
		}
		for _, setting := range built.Settings {
			if setting.Key == "vcs.revision" {
				info.Commit = cmp.Or(info.Commit, setting.Value)
			}
		}
	}
	info.Version, info.Commit = cmp.Or(info.Version, Unknown), cmp.Or(info.Commit, Unknown)
	return info
}

// pins returns all pinned releases, one for each name and not for each architecture.
func pins() []Pin {
	var all []Pin
	for _, pin := range config.Pins() {
		if one := (Pin{pin.Name, pin.Version}); !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return all
}

// Write prints the description as text.
func (i Info) Write(out io.Writer) error {
	rows := table.New(out, "strata", i.Version)
	rows.Row("commit", i.Commit)
	if i.Checkout != "" {
		rows.Row("checkout", i.Checkout)
	}
	rows.Row("sha256", i.SHA256)
	rows.Row("built by", i.Go+" for "+i.OS+"/"+i.Arch)
	for _, pin := range i.Pins {
		rows.Row(pin.Name, pin.Version)
	}
	return rows.Flush()
}

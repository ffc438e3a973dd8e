// Command launcher is at the path where the Pulumi CLI looks for the Go language host, and starts
// the real language host.
//
// The CLI passes the runtime options in Pulumi.yaml to a language host in each request. The last
// host that is published in the SDK's module (v3.60) accepts the options only as flags. Without
// flags, it compiles the program to a new temporary file, twice in each `pulumi up`. The launcher
// passes the options as flags. It also sets the compiler flags that later hosts use: no VCS stamp,
// trimmed paths and no debug information.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"gopkg.in/yaml.v3"
)

// hostPath is the path of the real language host, relative to the launcher's folder.
const hostPath = "../lib/pulumi-language-go"

// buildFlags are the compiler flags with which later language hosts compile a program.
const buildFlags = "-buildvcs=false -trimpath -gcflags=all=-dwarf=false '-ldflags=-w -s'"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "pulumi-language-go:", err)
		os.Exit(1)
	}
}

func run() error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("own path: %w", err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("working directory: %w", err)
	}
	options, err := runtimeOptions(dir)
	if err != nil {
		return err
	}
	host := filepath.Join(filepath.Dir(self), hostPath)
	argv := append([]string{host}, options.flags()...)
	argv = append(argv, os.Args[1:]...)
	goflags := strings.TrimSpace(os.Getenv("GOFLAGS") + " " + buildFlags)
	if err := os.Setenv("GOFLAGS", goflags); err != nil {
		return fmt.Errorf("setting GOFLAGS: %w", err)
	}
	return fmt.Errorf("starting %s: %w", host, syscall.Exec(host, argv, os.Environ()))
}

// options are the runtime options for Go that host v3.60 accepts as flags.
type options struct {
	BuildTarget string `yaml:"buildTarget"`
	Binary      string `yaml:"binary"`
}

func (o options) flags() []string {
	var flags []string
	if o.BuildTarget != "" {
		flags = append(flags, "-buildTarget="+o.BuildTarget)
	}
	if o.Binary != "" {
		flags = append(flags, "-binary="+o.Binary)
	}
	return flags
}

// runtimeOptions reads the options of the Pulumi project that contains dir. Outside of a project,
// as for `pulumi new`, there are none.
func runtimeOptions(dir string) (options, error) {
	for {
		for _, name := range []string{"Pulumi.yaml", "Pulumi.yml"} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err != nil {
				return options{}, fmt.Errorf("reading the project: %w", err)
			}
			return parseOptions(text)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return options{}, nil
		}
		dir = parent
	}
}

// parseOptions returns the options in a project file. They are empty for `runtime: go`.
func parseOptions(project []byte) (options, error) {
	var file struct {
		Runtime yaml.Node `yaml:"runtime"`
	}
	if err := yaml.Unmarshal(project, &file); err != nil {
		return options{}, fmt.Errorf("reading the project file: %w", err)
	}
	if file.Runtime.Kind != yaml.MappingNode {
		return options{}, nil
	}
	var runtime struct {
		Options options `yaml:"options"`
	}
	if err := file.Runtime.Decode(&runtime); err != nil {
		return options{}, fmt.Errorf("reading runtime.options of the project file: %w", err)
	}
	return runtime.Options, nil
}

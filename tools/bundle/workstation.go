package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"sigs.k8s.io/yaml"

	"strata/artifacts"
	"strata/config"
	"strata/internal/files/atomicfile"
	"strata/internal/pulumi/self"
)

// Paths in the folder of the files that run Strata.
const (
	// pulumiHome is the folder to use as PULUMI_HOME.
	pulumiHome    = "pulumi"
	pluginsFolder = pulumiHome + "/plugins"
	// projectFolder has the stack's files and no sources.
	projectFolder = "project"
	// programFile is the program, relative to projectFolder.
	programFile = ".strata/bin/program"
	readmeFile  = "README.md"
	envFile     = "env"
	// goFile is the path of a stand-in for the command go. Its folder is last in the PATH, so an
	// installed Go takes precedence.
	goFile = "pulumi/without-go/go"
)

//go:embed env.sh
var environment string

//go:embed go.sh
var withoutGo string

//go:embed readme.md
var readme string

// workstation places Pulumi, the program and the stack's files, so that `pulumi up` needs neither
// Go nor a network.
func (b *bundle) workstation(ctx context.Context) error {
	cfg, err := b.configuration(b.dir)
	if err != nil {
		return err
	}
	if err := errors.Join(b.pulumi(), b.files(cfg)); err != nil {
		return err
	}
	if err := b.program(ctx); err != nil {
		return err
	}
	return errors.Join(
		b.script(envFile, environment, 0o755),
		b.script(goFile,
			strings.NewReplacer("VERSION", runtime.Version(), "ARCH",
				runtime.GOARCH).Replace(withoutGo), 0o755),
		b.script(readmeFile, strings.ReplaceAll(readme, "STACK", b.stack), 0o644),
	)
}

// script writes a text file that is embedded in this command, such as env or README.md.
func (b *bundle) script(file, text string, mode os.FileMode) error {
	return b.writeOwn(path.Base(file), file, []byte(text), mode)
}

// pulumi unpacks Pulumi's command line and its host for Go programs, and moves each plugin to its
// folder below PULUMI_HOME.
func (b *bundle) pulumi() error {
	for _, one := range b.fetched.Artifacts {
		file := filepath.Join(b.dir, filesFolder, one.Name+"-"+one.Version)
		entry := artifacts.Entry{Name: one.Name, Version: one.Version, Arch: one.Arch,
			Origin: "real: " + one.URL}
		switch plugin, isPlugin := strings.CutPrefix(one.Name, "pulumi-resource-"); {
		case isPlugin:
			entry.Path = path.Join(pluginsFolder, "resource-"+plugin+"-"+one.Version, one.Name)
			if err := b.move(file, entry); err != nil {
				return err
			}
		case one.Name == artifacts.CLIName:
			for _, program := range []string{"pulumi", "pulumi-language-go"} {
				entry.Name, entry.Path = program, path.Join(pulumiHome, "bin", program)
				if err := b.unpack(file+".tar.gz", entry); err != nil {
					return err
				}
			}
			if err := os.Remove(file + ".tar.gz"); err != nil { // the archive has a hundred MiB of other languages
				return err
			}
		}
	}
	return nil
}

func (b *bundle) unpack(archive string, entry artifacts.Entry) error {
	target, err := b.room(entry.Path)
	if err != nil {
		return err
	}
	// Unpack skips a file of the same size and time, which may be of another version. So remove it
	// first.
	if err := errors.Join(os.RemoveAll(target),
		artifacts.Unpack(archive, entry.Name, target)); err != nil {
		return err
	}
	return b.add(entry)
}

func (b *bundle) move(file string, entry artifacts.Entry) error {
	target, err := b.room(entry.Path)
	if err != nil {
		return err
	}
	if err := os.Rename(file, target); err != nil {
		return err
	}
	return b.add(entry)
}

// program compiles Strata for this machine's architecture, as `make build` does.
func (b *bundle) program(ctx context.Context) error {
	target := filepath.Join(b.dir, projectFolder, programFile)
	flags := "-s -w"
	for variable, arguments := range map[string][]string{
		"number": {"describe", "--tags", "--always", "--dirty"}, "commit": {"rev-parse", "HEAD"},
	} {
		git := exec.CommandContext(ctx, "git", arguments...)
		git.Dir = b.project
		if text, err := git.Output(); err == nil { // a project need not be a git checkout
			flags += " -X strata/cli/version." + variable + "=" + strings.TrimSpace(string(text))
		}
	}
	b.say("compiling the program")
	build := exec.CommandContext(ctx, "go", "build", "-ldflags", flags, "-o", target, ".")
	build.Dir = b.project
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+runtime.GOARCH)
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build in %s: %w: %s", b.project, err,
			strings.TrimSpace(string(output)))
	}
	if err := b.addProjectFile("strata", path.Join(projectFolder, programFile)); err != nil {
		return err
	}
	// Users and the stack's resources call the same program.
	installed := filepath.Join(b.dir, projectFolder, self.Path)
	if err := os.RemoveAll(installed); err != nil {
		return err
	}
	if err := os.Link(target, installed); err != nil {
		return err
	}
	return b.addProjectFile("strata", path.Join(projectFolder, self.Path))
}

// files copies Pulumi.yaml, the stack file and the manifests that the stack file lists, but no SSH
// keys.
func (b *bundle) files(cfg *config.Config) error {
	same := func(text []byte) ([]byte, error) { return text, nil }
	stackFile, err := filepath.Rel(b.project, config.StackFile(b.project, b.stack))
	if err != nil {
		return err
	}
	if err := errors.Join(
		b.place(filepath.Join(b.project, "Pulumi.yaml"), "Pulumi.yaml", withProgram),
		b.place(b.stackFile, stackFile, same),
	); err != nil {
		return err
	}
	for _, file := range cfg.Apps.Manifests {
		if !filepath.IsLocal(file) {
			return fmt.Errorf(
				"strata:apps.manifests: %s is outside the project: a bundle has the project's own files only", file)
		}
		if err := b.place(filepath.Join(b.project, file), file, same); err != nil {
			return err
		}
	}
	return nil
}

// place copies a file of the project with a change. A stack's file may have plain secrets, so the
// copy is not readable by more users than the file.
func (b *bundle) place(from, file string, change func(text []byte) ([]byte, error)) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if text, err = change(text); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	const forAll, forOwner, others = 0o644, 0o600, 0o007
	mode := info.Mode().Perm() & forAll
	if mode&others == 0 {
		mode &= forOwner
	}
	return b.writeOwn(file, path.Join(projectFolder, file), text, mode)
}

// writeOwn writes and records a file of this project.
func (b *bundle) writeOwn(name, file string, text []byte, mode os.FileMode) error {
	target, err := b.room(file)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(target, text, mode); err != nil {
		return err
	}
	return b.addProjectFile(name, file)
}

// room returns the path of a file of the bundle, and makes its folder.
func (b *bundle) room(file string) (string, error) {
	target := filepath.Join(b.dir, file)
	return target, os.MkdirAll(filepath.Dir(target), 0o755)
}

// addProjectFile records a file of this project.
func (b *bundle) addProjectFile(name, file string) error {
	return b.add(artifacts.Entry{Name: unfit.ReplaceAllString(strings.TrimLeft(name, "."), "-"),
		Version: "project", Path: file, Origin: "real: this project's"})
}

// withProgram returns the project's description with the compiled program
// (https://www.pulumi.com/docs/iac/concepts/projects/project-file/, runtime.options.binary).
func withProgram(description []byte) ([]byte, error) {
	var project map[string]any
	if err := yaml.Unmarshal(description, &project); err != nil {
		return nil, err
	}
	project["runtime"] = map[string]any{"name": "go",
		"options": map[string]any{"binary": programFile}}
	return yaml.Marshal(project)
}

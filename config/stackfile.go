package config

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
)

// FromFile makes the configuration of the stack with the file at path, which is Pulumi.<stack>.yaml
// in the folder of its project.
func FromFile(path string) (*Config, error) {
	name := filepath.Base(path)
	stack, isStack := strings.CutPrefix(strings.TrimSuffix(name, filepath.Ext(name)), "Pulumi.")
	if !isStack || stack == "" {
		return nil, fmt.Errorf("%s: expected a stack file named Pulumi.<stack>.yaml", path)
	}
	return OfStack(filepath.Dir(path), stack, path)
}

// StackFile returns the path of a stack's own file, below the stackConfigDir of its project, with
// the extension of the project's file. The stack's name may begin with its organization and
// project, as for `pulumi --stack`.
func StackFile(folder, stack string) string {
	file, project, err := readProject(folder)
	if err != nil { // the reader of the stack file reports it
		file, project = workspace.ProjectFile+".yaml", &workspace.Project{}
	}
	file = workspace.ProjectStackPath(file, project, tokens.QName(path.Base(stack)))
	return filepath.Join(folder, project.StackConfigDir, filepath.Base(file))
}

// checkStackName refuses the name of another project's stack, whose state Pulumi would return.
func checkStackName(folder, stack string) error {
	parts := strings.Split(stack, "/")
	_, project, err := readProject(folder)
	if err == nil && (path.Base(stack) != parts[len(parts)-1] ||
		len(parts) > 2 && parts[1] != string(project.Name)) {
		return fmt.Errorf("stack %s is none of project %s in folder %s; write STACK, or "+
			"ORGANIZATION/%[2]s/STACK, or name the project's folder with --project", stack,
			project.Name, folder)
	}
	return nil
}

// OfStack makes the configuration of a stack from its file, which may have any name, and the folder
// of its project. Encrypted texts become Sealed, and no rule is applied to them. An encrypted value
// that is no text is a mistake.
func OfStack(project, stack, file string) (*Config, error) {
	return ofStack(project, stack, file, false)
}

// OfAnyStack does the same as OfStack, but also accepts the stack of a user's own program. Such a
// stack may leave its cluster to the program (ForProgram).
func OfAnyStack(project, stack, file string) (*Config, error) {
	return ofStack(project, stack, file, true)
}

func ofStack(project, stack, file string, program bool) (*Config, error) {
	if err := checkStackName(project, stack); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("stack %s: %w", stack, err)
	}
	return ofText(project, path.Base(stack), file, text, program)
}

// OfText does the same as OfStack for the text of a file. path names the file in errors, and its
// folder is the project's.
func OfText(stack, path string, text []byte) (*Config, error) {
	return ofText(filepath.Dir(path), stack, path, text, false)
}

func ofText(project, stack, path string, text []byte, program bool) (*Config, error) {
	file, err := readStack(project, path, text, program)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	cfg, err := load(stack, file.sections, os.Getenv, decoder{
		problems: file.problems,
		sealed:   true,
		program:  program,
		secret:   func(string) bool { return false }, // what is encrypted is Sealed here
	})
	if err == nil {
		err = file.refused
	}
	if err != nil {
		return nil, fmt.Errorf("%s:\n%w", path, err)
	}
	return cfg, nil
}

package config

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/encoding"
	sdkconfig "github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	"go.yaml.in/yaml/v3"
)

// stackFile holds a stack file as Pulumi reads it, with the defaults of its project.
type stackFile struct {
	// sections are Strata's sections, as the engine passes them to the program, except that
	// encrypted texts are Sealed.
	sections map[string]string
	// problems are mistakes in the file's keys.
	problems problems
	// refused is the engine's refusal of a value that does not match its declaration in
	// Pulumi.yaml. It reports one mistake without a fix, so a Problem about the same value comes
	// before it.
	refused error
}

// readStack reads the text of a stack file by Pulumi's own loader. program is true for the stack of
// a user's own program.
func readStack(folder, path string, text []byte, program bool) (stackFile, error) {
	project, read, err := loadStack(folder, path, text)
	if err != nil {
		return stackFile{}, err
	}
	if len(read.EnvironmentBytes()) > 0 {
		return stackFile{}, Problem{
			Key: "environment", Rule: "has values of Pulumi ESC, which only pulumi up and preview see",
			Fix: "name a copy of the file with these values in its config, and without environment: --config-file",
		}
	}
	name := string(project.Name)
	mistakes, err := checkWritten(name, text)
	if err != nil {
		return stackFile{}, err
	}
	refused, err := applyProject(project, read.Config)
	if err != nil {
		return stackFile{}, err
	}
	whole, err := textsOf(read)
	if err != nil {
		return stackFile{}, err
	}
	sections, strangers := selectSections(name, program, whole)
	return stackFile{sections: sections, problems: slices.Concat(mistakes, strangers),
		refused: refused}, nil
}

// ReadStackFile returns the configuration in a stack's file, by full key. It adds no defaults of
// the project, and checks nothing. Encrypted texts are Sealed, and numbers json.Number. The error
// may quote the file.
func ReadStackFile(project, path string) (map[string]any, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	_, read, err := loadStack(project, path, text)
	if err != nil {
		return nil, err
	}
	texts, err := textsOf(read)
	written := map[string]any{}
	for key, text := range texts {
		written[key] = valueOf(text)
	}
	return written, err
}

// textsOf returns the configuration as the engine passes it to a program, by full key.
func textsOf(read *workspace.ProjectStack) (map[string]string, error) {
	texts, err := read.Config.Decrypt(blind)
	whole := map[string]string{}
	for key, text := range texts {
		whole[key.String()] = text
	}
	return whole, err
}

// blind replaces encrypted texts by Sealed.
var blind = sdkconfig.NewBlindingDecrypter()

func loadStack(
	folder, path string, text []byte,
) (*workspace.Project, *workspace.ProjectStack, error) {
	_, project, err := readProject(folder)
	if err != nil {
		return nil, nil, err
	}
	read, err := workspace.LoadProjectStackBytes(nil, project, text, path, encoding.YAML)
	return project, read, err
}

// readProject reads the project file of a folder, which is Pulumi.yaml, .yml or .json. Without one,
// the project has no defaults.
func readProject(folder string) (path string, project *workspace.Project, err error) {
	path, err = workspace.DetectProjectPathFrom(folder)
	if errors.Is(err, workspace.ErrProjectNotFound) {
		return workspace.ProjectFile + ".yaml", &workspace.Project{Name: Namespace}, nil
	}
	if err != nil {
		return "", nil, err
	}
	project, err = workspace.LoadProject(path)
	return path, project, err
}

// checkOwnFile applies checkWritten to the stack's default file. It reports nothing if that file
// cannot be read, because the engine may have read a different file (--config-file).
func checkOwnFile(project, folder, stack string) problems {
	text, err := os.ReadFile(StackFile(folder, stack))
	if err != nil {
		return nil
	}
	mistakes, _ := checkWritten(project, text)
	return mistakes
}

// checkWritten refuses the parts of a stack file that Pulumi ignores: keys beside config, and
// documents after the first. It also refuses a key in two forms, because runs of Pulumi differ in
// the form that they use. Unknown keys that resemble no configuration are accepted: they may hold
// YAML anchors.
func checkWritten(project string, text []byte) (ps problems, err error) {
	var file struct {
		Config map[string]any `yaml:"config"`
		Beside map[string]any `yaml:",inline"`
	}
	if err := encoding.YAML.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	forms := map[string]string{}
	for _, written := range slices.Sorted(maps.Keys(file.Config)) {
		key, err := fullKey(project, written)
		if err != nil {
			return nil, err
		}
		if other, there := forms[key.String()]; there {
			ps.add(key.String(), "", "is written twice, as "+other+" and as "+written,
				"keep one of them: Pulumi takes either")
		}
		forms[key.String()] = written
	}
	own := slices.Collect(maps.Keys(fieldsOf(reflect.TypeFor[workspace.ProjectStack]())))
	for name := range file.Beside {
		meant, fix := nearest(name, own), "write it below config:, indented"
		if meant != "" {
			fix = "did you mean " + meant + "?"
		}
		ps.addIf(!slices.Contains(own, name) && (meant != "" || strings.Contains(name, ":") ||
			slices.Contains(Sections(), name)), name, "",
			"is beside config:, where Pulumi ignores it", fix)
	}
	ps.addIf(hasMoreDocuments(text), "---", "", "begins another document, which Pulumi ignores",
		"write everything into the first document")
	return ps, nil
}

// hasMoreDocuments reports whether a text has content after its first YAML document.
func hasMoreDocuments(text []byte) bool {
	documents := yaml.NewDecoder(bytes.NewReader(text))
	var content any
	if documents.Decode(&content) != nil {
		return false // the file is empty, or Pulumi's loader reports it
	}
	var err error
	for content = nil; err == nil && content == nil; {
		err = documents.Decode(&content)
	}
	return !errors.Is(err, io.EOF)
}

// fullKey returns the full form of a key that may lack its namespace, the project's name.
func fullKey(project, written string) (sdkconfig.Key, error) {
	if !strings.Contains(written, ":") {
		written = project + ":" + written
	}
	return sdkconfig.ParseKey(written)
}

// selectSections selects Strata's sections from a whole configuration, by full key. It refuses a
// key that is meant for Strata but would not reach it. Keys of a user's own program, and their
// namespaces, may be called like sections. Other namespaces belong to Pulumi's providers.
func selectSections(project string, program bool, whole map[string]string) (
	sections map[string]string, strangers problems,
) {
	sections = map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(whole)) {
		namespace, section, _ := strings.Cut(key, ":")
		own := namespace == project
		switch {
		case namespace == Namespace:
			sections[section] = whole[key]
		case own && !program, namespace == "", !own && strings.HasPrefix(namespace, Namespace),
			!own && nearest(namespace, []string{Namespace}) != "":
			strangers.addStranger(key, strings.TrimPrefix(section, Namespace+"."))
		case !own && !program:
			strangers.addSectionNamespace(key, nearest(namespace, Sections()), section)
		}
	}
	return sections, strangers
}

// addStranger refuses a key outside Strata's namespace if its name resembles a section's.
func (ps *problems) addStranger(key, section string) {
	name, path := section, ""
	if end := strings.IndexAny(section, ".["); end >= 0 {
		name, path = section[:end], section[end:]
	}
	meant := nearest(name, Sections())
	fix := "did you mean " + Namespace + ":" + meant + "?"
	if path != "" {
		fix = fixPath(key, Namespace+":"+meant+path)
	}
	ps.addIf(meant != "", key, "", "is not read: Strata's keys begin with "+Namespace+":", fix)
}

// addSectionNamespace refuses a key with a section as its namespace, if its name resembles a key of
// the section. Other names belong to Pulumi's providers, some of which are called like sections.
func (ps *problems) addSectionNamespace(key, section, name string) {
	index, known := fieldsOf(reflect.TypeFor[Config]())[section]
	if !known || reflect.TypeFor[Config]().Field(index).Type.Kind() != reflect.Struct {
		return
	}
	keys := fieldsOf(reflect.TypeFor[Config]().Field(index).Type)
	meant := nearest(sectionOf(name), slices.Collect(maps.Keys(keys)))
	ps.addIf(meant != "", key, "", "is not read: Strata's keys begin with "+Namespace+":",
		fixPath(key, Namespace+":"+section+"."+meant+strings.TrimPrefix(name, sectionOf(name))))
}

// fixPath returns the fix for a key that was set without --path.
func fixPath(written, meant string) string {
	return "take it out and set it by its path: pulumi config rm '" + written +
		"'; pulumi config set --path '" + meant + "' VALUE"
}

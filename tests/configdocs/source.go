package configdocs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// Field is one configuration key as the source documents it.
type Field struct {
	// Key is the full key path; a list's entries are written [].
	Key string
	// Type is the kind of value in the user's terms.
	Type string
	// Doc is the doc comment on one line.
	Doc string
}

// source holds the parsed declarations of package config.
type source struct {
	structs map[string]*ast.StructType
	values  map[string][]string
}

// kinds names the leaf types in the user's terms.
var kinds = map[string]string{
	"string": "text", "int": "number", "bool": "true or false", "netip.Addr": "IP address",
	"netip.Prefix":    "network (CIDR)",
	"metav1.Duration": "duration", "map[string]string": "text by name",
	"map[string]any": "K3s setting by name",
	"Switch":         "on or off", "Values": "values of the chart",
	"DNS01Solver": "cert-manager's solver",
}

// Fields returns all configuration keys of package config, in the order of its source.
func Fields(configDir string) ([]Field, error) {
	parsed, err := parse(configDir)
	if err != nil {
		return nil, err
	}
	var fields []Field
	for _, section := range parsed.structs["Config"].Fields.List {
		if name := jsonName(section); name != "" {
			fields = append(fields, parsed.walk("strata:"+name, section)...)
		}
	}
	return fields, nil
}

func parse(configDir string) (*source, error) {
	files, err := filepath.Glob(filepath.Join(configDir, "*.go"))
	if err != nil {
		return nil, fmt.Errorf("configuration in %s: %w", configDir, err)
	}
	parsed := &source{structs: map[string]*ast.StructType{}, values: map[string][]string{}}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("parse configuration: %w", err)
		}
		for _, declaration := range tree.Decls {
			if group, ok := declaration.(*ast.GenDecl); ok {
				parsed.add(group)
			}
		}
	}
	if parsed.structs["Config"] == nil {
		return nil, fmt.Errorf("%s declares no struct Config", configDir)
	}
	return parsed, nil
}

// add reads the structs from a declaration of the package, and the permitted values of its types.
func (s *source) add(group *ast.GenDecl) {
	for _, one := range group.Specs {
		switch spec := one.(type) {
		case *ast.TypeSpec:
			if body, ok := spec.Type.(*ast.StructType); ok {
				s.structs[spec.Name.Name] = body
			}
		case *ast.ValueSpec:
			if spec.Type == nil || len(spec.Values) != 1 {
				continue
			}
			if literal, ok := spec.Values[0].(*ast.BasicLit); ok {
				if value, err := strconv.Unquote(literal.Value); err == nil {
					name := typeName(spec.Type)
					s.values[name] = append(s.values[name], value)
				}
			}
		}
	}
}

// walk returns the documentation of a field and, if its type is a struct, of all fields below it.
func (s *source) walk(key string, field *ast.Field) []Field {
	name := typeName(field.Type)
	element, isList := strings.CutPrefix(name, "[]")
	found := Field{Key: key, Type: s.kind(field, element), Doc: s.doc(field)}
	if isList {
		if s.choices(field, element) == nil {
			found.Type = strings.TrimSuffix(found.Type, "s") + "s"
		}
		found.Type = "list of " + found.Type
		key += "[]"
	}
	fields := []Field{found}
	// A node's ssh has the keys of the hosts' ssh, which are listed once.
	if body := s.structs[element]; body != nil && key != "strata:hosts.nodes[].ssh" {
		for _, below := range body.Fields.List {
			if name := jsonName(below); name != "" {
				fields = append(fields, s.walk(key+"."+name, below)...)
			}
		}
	}
	return fields
}

// kind returns a field's type, or its entries', in the user's terms.
func (s *source) kind(field *ast.Field, name string) string {
	if choices := s.choices(field, name); choices != nil {
		return strings.Join(choices, " or ")
	}
	if kind, ok := kinds[name]; ok {
		return kind
	}
	return "object"
}

// choices returns the only values of a field, or of its entries, from its type or its tag enum; nil
// for any.
func (s *source) choices(field *ast.Field, name string) []string {
	if list := tagOf(field).Get("enum"); list != "" {
		return strings.Split(list, ",")
	}
	return s.values[name]
}

func typeName(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.SelectorExpr:
		return typeName(e.X) + "." + e.Sel.Name
	case *ast.ArrayType:
		return "[]" + typeName(e.Elt)
	case *ast.MapType:
		return "map[" + typeName(e.Key) + "]" + typeName(e.Value)
	}
	return ""
}

func jsonName(field *ast.Field) string {
	name, _, _ := strings.Cut(tagOf(field).Get("json"), ",")
	return strings.TrimSuffix(name, "-")
}

func tagOf(field *ast.Field) reflect.StructTag {
	if field.Tag == nil {
		return ""
	}
	tag, err := strconv.Unquote(field.Tag.Value)
	if err != nil {
		return ""
	}
	return reflect.StructTag(tag)
}

package configdocs

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
)

// opening matches the Go name at the start of a doc comment, and a following "is" or "are".
var opening = regexp.MustCompile(`^[A-Z]\w*( (is|are)\b)? `)

// firstWord matches a word in lower case at the start of a text.
var firstWord = regexp.MustCompile(`^[a-z]+\b`)

// goName finds a word that may be a field's Go name.
var goName = regexp.MustCompile(`\b[A-Z]\w+\b`)

// doc returns a field's comment on one line, for a reader of the configuration. It removes the name
// at the start, and replaces the names of other fields by their keys.
func (s *source) doc(field *ast.Field) string {
	text := strings.Join(strings.Fields(field.Doc.Text()), " ")
	text = opening.ReplaceAllString(text, "")
	beside := s.keysBeside(field)
	text = goName.ReplaceAllStringFunc(text, func(name string) string {
		if key := beside[name]; key != "" {
			return key
		}
		return name
	})
	word := firstWord.FindString(text)
	if word == "" || slices.Contains(s.choices(field, typeName(field.Type)), word) {
		return text
	}
	return strings.ToUpper(word[:1]) + text[1:]
}

// keysBeside returns the keys of all fields of the field's struct, by their Go names. It leaves out
// names that are also words, such as ACME. It returns nothing for the fields of Config, whose names
// are those of programs.
func (s *source) keysBeside(field *ast.Field) map[string]string {
	for name, body := range s.structs {
		if name == "Config" || !slices.Contains(body.Fields.List, field) {
			continue
		}
		keys := map[string]string{}
		for _, other := range body.Fields.List {
			if len(other.Names) == 1 && other.Names[0].Name != strings.ToUpper(
				other.Names[0].Name) {
				keys[other.Names[0].Name] = jsonName(other)
			}
		}
		return keys
	}
	return nil
}

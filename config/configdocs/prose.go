package configdocs

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
)

// opening matches the Go name at the start of a doc comment, with an "is" or "are" behind it.
var opening = regexp.MustCompile(`^[A-Z]\w*( (is|are)\b)? `)

// firstWord finds a word of small letters that a text begins with.
var firstWord = regexp.MustCompile(`^[a-z]+\b`)

// goName finds a word that may be a field's Go name.
var goName = regexp.MustCompile(`\b[A-Z]\w+\b`)

// doc returns a field's comment on one line, for a reader of the configuration: without the name
// that it begins with, and with keys in the place of the names of other fields.
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

// keysBeside returns the keys of the fields of a field's struct by their Go names, without names
// that are a word of their own, such as ACME. The fields of Config are called as programs are.
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

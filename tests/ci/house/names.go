package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// unclearWords are pronouns, prepositions, adverbs and irregular participles. None of them alone
// says what a function does.
var unclearWords = strings.Fields(`
	it its they them their theirs this that these those who whose what which own ours mine other
	others another again each all any none nothing everything something one ones self both
	about above after against among at before behind below beneath beside between beyond by during
	for from in inside into of off on onto out outside over since through to toward under until up
	upon with within without
	begun bound bought broken brought built caught chosen done drawn found given gone got grown had
	held kept known lost made meant met said seen sent shown spoken sworn taken taught thought told
	understood worn written`)

// clearWords end like a participle but are none, or are common names in Go.
var clearWords = strings.Fields(`done with string ping feed need seed embed binding mapping warning setting`)

// isUnclear reports whether a function's name is a pronoun, participle or preposition alone.
func isUnclear(name string) bool {
	word := strings.ToLower(name)
	if word[1:] != name[1:] || slices.Contains(clearWords, word) {
		return false // several words, as in isDone
	}
	return slices.Contains(unclearWords, word) || strings.HasSuffix(word, "ed") ||
		strings.HasSuffix(word, "ing")
}

// addNames records the functions and methods of a file that have unclear names.
func (h *house) addNames(file string, text []byte) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, declaration := range parsed.Decls {
		function, is := declaration.(*ast.FuncDecl)
		if is && isUnclear(function.Name.Name) {
			h.unclear = append(h.unclear, file+": "+function.Name.Name)
		}
	}
	return nil
}

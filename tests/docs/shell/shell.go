// Package shell parses the commands in pages and in the CI examples, which tests compare with the
// program, the Makefile and the stories. It supports the part of the shell's grammar that these
// use: words, quotes, comments, assignments, `&&`, `|`, `;` and `$(…)`. It refuses any other
// syntax, so that no command is skipped.
package shell

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Command is one simple command.
type Command struct {
	// Words are the program and its arguments, without quotes.
	Words []string
	// Line is the line of the source with the command, for messages.
	Line string
}

// blocks matches the fenced blocks of a page with language sh.
var blocks = regexp.MustCompile("(?ms)^[ ]*```sh\n(.*?)^[ ]*```")

// Page returns the commands of a page's blocks of language sh.
func Page(text string) ([]Command, error) {
	var all []Command
	for _, block := range blocks.FindAllStringSubmatch(text, -1) {
		commands, err := Script(block[1])
		if err != nil {
			return nil, err
		}
		all = append(all, commands...)
	}
	return all, nil
}

// scripts are the keys that contain scripts: GitHub's, and GitLab's.
var scripts = []string{"run", "before_script", "script", "after_script"}

// Pipeline returns the commands of a GitHub workflow or a GitLab pipeline, in no particular order.
func Pipeline(text string) ([]Command, error) {
	var root any
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		return nil, err
	}
	var all []Command
	var visit func(value any, script bool) error
	visit = func(value any, script bool) error {
		switch at := value.(type) {
		case map[string]any:
			for key, below := range at {
				if err := visit(below, slices.Contains(scripts, key)); err != nil {
					return err
				}
			}
		case []any:
			for _, below := range at {
				if err := visit(below, script); err != nil {
					return err
				}
			}
		case string:
			if script {
				commands, err := Script(at)
				all = append(all, commands...)
				return err
			}
		}
		return nil
	}
	return all, visit(root, false)
}

// Script returns the commands of a script. A backslash at the end of a line continues it.
func Script(text string) ([]Command, error) {
	var all []Command
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		commands, err := parse(strings.TrimSpace(line))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", strings.TrimSpace(line), err)
		}
		all = append(all, commands...)
	}
	return all, nil
}

// reader parses one line.
type reader struct {
	line, rest string
	word       strings.Builder
	inWord     bool
	words      []string
	done       []Command
}

// parse returns the commands of one line. Those in $(…) come first.
func parse(line string) ([]Command, error) {
	r := reader{line: line, rest: line}
	for r.rest != "" {
		if err := r.next(); err != nil {
			return nil, err
		}
	}
	r.endCommand()
	return r.done, nil
}

func (r *reader) next() error {
	c := r.rest[0]
	if strings.HasPrefix(r.rest, "$(") {
		return r.substitution()
	}
	if c == '\'' || c == '"' {
		return r.quoted(c)
	}
	if c == '#' && !r.inWord {
		r.rest = ""
		return nil
	}
	if strings.ContainsRune("()`", rune(c)) || c == '{' && !r.inWord {
		return fmt.Errorf("%q is not read here; write a simpler command", string(c))
	}
	switch {
	case c == ' ' || c == '\t':
		r.endWord()
	case c == '|' || c == ';' || c == '&' && !strings.HasSuffix(r.word.String(), ">"):
		r.endCommand()
	default:
		r.word.WriteByte(c)
		r.inWord = true
	}
	r.rest = r.rest[1:]
	return nil
}

// substitution parses $(…): a command, and a word of the command around it.
func (r *reader) substitution() error {
	end := strings.IndexByte(r.rest, ')')
	if end < 0 {
		return fmt.Errorf("%s has no end", r.rest)
	}
	inner, err := parse(r.rest[2:end])
	if err != nil {
		return err
	}
	for i := range inner {
		inner[i].Line = r.line
	}
	r.done = append(r.done, inner...)
	r.word.WriteString("$")
	r.inWord, r.rest = true, r.rest[end+1:]
	return nil
}

// quoted parses quoted text; double quotes may contain $(…).
func (r *reader) quoted(quote byte) error {
	r.inWord, r.rest = true, r.rest[1:]
	for r.rest != "" && r.rest[0] != quote {
		if quote == '"' && strings.HasPrefix(r.rest, "$(") {
			if err := r.substitution(); err != nil {
				return err
			}
			continue
		}
		r.word.WriteByte(r.rest[0])
		r.rest = r.rest[1:]
	}
	if r.rest == "" {
		return fmt.Errorf("%c has no end", quote)
	}
	r.rest = r.rest[1:]
	return nil
}

func (r *reader) endWord() {
	if r.inWord {
		r.words = append(r.words, r.word.String())
	}
	r.word.Reset()
	r.inWord = false
}

// assignment matches a variable before a command, for its environment.
var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

// redirection matches the redirection of a stream, with or without its file.
var redirection = regexp.MustCompile(`^[0-9]?[<>]`)

func (r *reader) endCommand() {
	r.endWord()
	words := r.words
	r.words = nil
	for len(words) > 0 && assignment.MatchString(words[0]) {
		words = words[1:]
	}
	var kept []string
	for i := 0; i < len(words); i++ {
		if redirection.MatchString(words[i]) {
			if strings.TrimLeft(words[i], "0123456789<>") == "" {
				i++ // the next word is the file
			}
			continue
		}
		kept = append(kept, words[i])
	}
	if len(kept) > 0 {
		r.done = append(r.done, Command{Words: kept, Line: r.line})
	}
}

package main

import (
	"bytes"
	"go/scanner"
	"go/token"
	"strings"
	"unicode/utf8"
)

// width is the number of columns that count as one line. A line of 250 columns counts as three.
const width = 100

// goLines counts the lines of a Go file that are neither blank nor comment.
func goLines(source []byte) int {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(source))
	var tokens scanner.Scanner
	tokens.Init(file, source, func(token.Position, string) {}, 0) // comments are skipped
	code := map[int]bool{}
	for {
		at, kind, text := tokens.Scan()
		if kind == token.EOF {
			break
		}
		if kind == token.SEMICOLON && text == "\n" {
			continue // a semicolon that the scanner adds at the end of a line
		}
		first := file.Line(at)
		for line := range strings.Count(text, "\n") + 1 { // a raw string has several
			code[first+line] = true
		}
	}
	sum := 0
	for number, line := range bytes.Split(source, []byte("\n")) {
		if code[number+1] {
			sum += folded(line)
		}
	}
	return sum
}

// textLines counts the lines of a file that are neither blank nor a comment with #.
func textLines(source []byte) int {
	sum := 0
	for line := range bytes.Lines(source) {
		if text := bytes.TrimSpace(line); len(text) > 0 && text[0] != '#' {
			sum += folded(bytes.TrimRight(line, "\n"))
		}
	}
	return sum
}

// folded returns the number of lines that a line counts as.
func folded(line []byte) int { return max(1, (utf8.RuneCount(line)+width-1)/width) }

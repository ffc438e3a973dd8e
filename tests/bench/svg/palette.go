package svg

import (
	"fmt"
	"strings"
)

// palette has the colours of Okabe and Ito (https://jfly.uni-koeln.de/color/). People with any
// colour vision can distinguish them, on light and on dark paper. Outlines have the colour --ink,
// because orange on white has too little contrast (WCAG 1.4.11).
var palette = []struct{ name, light, dark string }{
	{"--paper", "#ffffff", "#17191d"},
	{"--ink", "#1b1b1b", "#ededed"},
	{"--faint", "#d4d4d4", "#3d4149"},
	{"--blue", "#0072b2", "#56b4e9"},
	{"--orange", "#e69f00", "#e69f00"},
	{"--red", "#d55e00", "#ff7f2a"},
	{"--green", "#009e73", "#2cc79a"},
}

// Common is the beginning of every picture's style sheet.
var Common = Sheet{
	Draw("svg", "font-family", "system-ui, sans-serif", "font-size", "11px"),
	Draw("text", "fill", "--ink"),
	Draw(".title", "font-size", "16px", "font-weight", "600"),
	Draw(".paper", "fill", "--paper"),
	Draw(".grid", "stroke", "--faint"),
}

// light returns an attribute's value in the light theme. It panics if a colour is not in the
// palette.
func light(value string) string {
	if !strings.HasPrefix(value, "--") {
		return value
	}
	for _, colour := range palette {
		if colour.name == value {
			return colour.light
		}
	}
	panic("svg: no colour is called " + value)
}

// variables returns the palette as CSS, light and dark.
func variables() string {
	var bright, dark strings.Builder
	for _, colour := range palette {
		fmt.Fprintf(&bright, " %s: %s;", colour.name, colour.light)
		fmt.Fprintf(&dark, " %s: %s;", colour.name, colour.dark)
	}
	return "\nsvg {" + bright.String() +
		" background: var(--paper); }\n@media (prefers-color-scheme: dark) {\n svg {" +
		dark.String() + " }\n}\n"
}

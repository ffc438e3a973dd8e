// Package svgtest reads pictures like a viewer without CSS.
package svgtest

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// Bare returns the elements, with their classes, whose colour a viewer without CSS does not know.
// These are shapes and texts without a fill, lines without a stroke, invisible shapes, and elements
// whose colour is a CSS variable.
func Bare(text string) ([]string, error) {
	var bare []string
	decoder := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return bare, nil
		}
		if err != nil {
			return nil, err
		}
		element, is := token.(xml.StartElement)
		if !is {
			continue
		}
		set := map[string]string{}
		for _, attribute := range element.Attr {
			set[attribute.Name.Local] = attribute.Value
		}
		needs, drawn := map[string]string{"rect": "fill", "circle": "fill", "path": "fill",
			"text": "fill", "line": "stroke"}[element.Name.Local]
		if !drawn {
			continue
		}
		colour := set[needs]
		invisible := colour == "none" && set["stroke"] == "" && set["pointer-events"] == ""
		if colour == "" || invisible || strings.Contains(colour+set["stroke"], "var(") {
			bare = append(bare, element.Name.Local+"."+set["class"])
		}
	}
}

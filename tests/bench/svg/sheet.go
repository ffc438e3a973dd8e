package svg

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
)

// Rule draws the elements that match a selector.
type Rule struct {
	// Selector is an element's name, or a class after a dot.
	Selector string
	// Set has presentation attributes and their values in turn
	// (https://www.w3.org/TR/SVG2/styling.html#PresentationAttributes). A value that begins with --
	// is a colour of the palette.
	Set []string
}

// Draw returns a rule.
func Draw(selector string, set ...string) Rule { return Rule{selector, set} }

// Sheet is the style sheet of a picture. Dress writes it as attributes with the light theme's
// colours, and as a style element that follows the reader's colour scheme. Viewers with CSS prefer
// the style element. librsvg, which many viewers and Git hosts use, supports neither CSS variables
// nor media queries. It would draw everything black without the attributes.
type Sheet []Rule

// Dress adds a sheet's style element to a picture, and its attributes to every element in it.
func (s Sheet) Dress(root *Element) *Element {
	for _, byClass := range []bool{false, true} { // a class overrides a name, as in CSS
		for _, rule := range s {
			if strings.HasPrefix(rule.Selector, ".") == byClass {
				rule.paint(root)
			}
		}
	}
	behind := slices.IndexFunc(root.Children, func(e *Element) bool {
		return e.XMLName.Local != "title" && e.XMLName.Local != "desc"
	})
	root.Children = slices.Insert(root.Children, max(behind, 0), New("style").WithText(s.css()))
	return root
}

// paint sets the rule's attributes on an element and its descendants, if they match the selector.
func (r Rule) paint(e *Element) {
	class, isClass := strings.CutPrefix(r.Selector, ".")
	if isClass && slices.Contains(strings.Fields(e.attribute("class")), class) || !isClass &&
		e.XMLName.Local == r.Selector {
		for i := 0; i+1 < len(r.Set); i += 2 {
			e.set(r.Set[i], light(r.Set[i+1]))
		}
	}
	for _, child := range e.Children {
		r.paint(child)
	}
}

// css returns the sheet as CSS.
func (s Sheet) css() string {
	var text strings.Builder
	text.WriteString(variables())
	for _, rule := range s {
		fmt.Fprintf(&text, "%s {", rule.Selector)
		for i := 0; i+1 < len(rule.Set); i += 2 {
			value := rule.Set[i+1]
			if strings.HasPrefix(value, "--") {
				value = "var(" + value + ")"
			}
			fmt.Fprintf(&text, " %s: %s;", rule.Set[i], value)
		}
		text.WriteString(" }\n")
	}
	return text.String()
}

// attribute returns an attribute's value; empty if it is missing.
func (e *Element) attribute(name string) string {
	for _, attribute := range e.Attrs {
		if attribute.Name.Local == name {
			return attribute.Value
		}
	}
	return ""
}

// set sets or replaces an attribute.
func (e *Element) set(name, value string) {
	for i := range e.Attrs {
		if e.Attrs[i].Name.Local == name {
			e.Attrs[i].Value = value
			return
		}
	}
	e.Attrs = append(e.Attrs, xml.Attr{Name: xml.Name{Local: name}, Value: value})
}

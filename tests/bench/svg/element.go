package svg

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
)

// Namespace is SVG's namespace, which the root element names
// (https://www.w3.org/TR/SVG2/struct.html#NewDocument).
const Namespace = "http://www.w3.org/2000/svg"

// Element is one element with its content.
type Element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []*Element
}

// New returns an element; attributes are name and value in turn.
func New(name string, attributes ...string) *Element {
	element := &Element{XMLName: xml.Name{Local: name}}
	for i := 0; i+1 < len(attributes); i += 2 {
		element.Attrs = append(element.Attrs,
			xml.Attr{Name: xml.Name{Local: attributes[i]}, Value: attributes[i+1]})
	}
	return element
}

// WithText sets the text of the element, and returns it.
func (e *Element) WithText(text string) *Element {
	e.Text = text
	return e
}

// Add appends elements, without nil ones, and returns the parent.
func (e *Element) Add(children ...*Element) *Element {
	for _, child := range children {
		if child != nil {
			e.Children = append(e.Children, child)
		}
	}
	return e
}

// Write writes the element with its content.
func (e *Element) Write(out io.Writer) error {
	encoder := xml.NewEncoder(out)
	encoder.Indent("", " ")
	if err := encoder.Encode(e); err != nil {
		return fmt.Errorf("svg: %w", err)
	}
	_, err := io.WriteString(out, "\n")
	return err
}

// Num formats a length in user units, to a tenth.
func Num(value float64) string { return strconv.FormatFloat(value, 'f', 1, 64) }

// Package svg writes SVG: elements are values, so encoding/xml escapes every text and no picture
// can be malformed. It does not know the drawings.
package svg

// Package svg writes SVG: elements are values, so encoding/xml escapes every text and no picture
// can be malformed. Other packages define the pictures.
package svg

// Package ansi is a stub of glamour's styles for Markdown. Nothing is rendered with them.
package ansi

// StylePrimitive is the style of a piece of text.
type StylePrimitive struct {
	BlockPrefix, BlockSuffix string
	Bold, Italic, Underline  *bool
}

// StyleBlock is the style of a paragraph.
type StyleBlock struct {
	StylePrimitive

	Indent      *uint
	IndentToken *string
}

// StyleList is the style of a list.
type StyleList struct{ LevelIndent uint }

// StyleConfig has the styles of all elements.
type StyleConfig struct {
	Document, BlockQuote, Paragraph, Heading, Code  StyleBlock
	List                                            StyleList
	Link, LinkText, Item, Enumeration, Strong, Emph StylePrimitive
}

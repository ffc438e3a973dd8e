// Package ansi stands in for the styles of glamour's Markdown. Nothing is rendered with them.
package ansi

// StylePrimitive has the style of a piece of text.
type StylePrimitive struct {
	BlockPrefix, BlockSuffix string
	Bold, Italic, Underline  *bool
}

// StyleBlock has that of a paragraph.
type StyleBlock struct {
	StylePrimitive

	Indent      *uint
	IndentToken *string
}

// StyleList has that of a list.
type StyleList struct{ LevelIndent uint }

// StyleConfig has all of them.
type StyleConfig struct {
	Document, BlockQuote, Paragraph, Heading, Code  StyleBlock
	List                                            StyleList
	Link, LinkText, Item, Enumeration, Strong, Emph StylePrimitive
}

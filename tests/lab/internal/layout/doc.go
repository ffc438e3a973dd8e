// Package layout returns the paths of the lab's files: sources in the checkout, and caches outside
// of it. It does not create or remove files.
package layout

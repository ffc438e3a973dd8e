// Package layout knows where the lab's files are: its sources in the checkout, and its caches
// outside of it. It does not create or remove anything.
package layout

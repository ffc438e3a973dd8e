// Package vmtest owns what the tests of several packages below vm need: Specs and keys. No program
// imports it.
package vmtest

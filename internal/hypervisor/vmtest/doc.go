// Package vmtest holds test fixtures for the packages of virtual machines: Specs and keys. No
// program imports it.
package vmtest

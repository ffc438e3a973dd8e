// Package ci checks examples/ci by the rules of GitHub and GitLab. It is a module of its own
// because of actionlint. The package cli checks the examples' commands against the program, and
// tests/docs checks that they were run.
package ci

// Command house prints how large each room of the project is, and fails where one has outgrown its
// bounds (docs/architecture.md, ADR 74). hack/house runs it. Which room may import which is the
// linter's to say.
package main

// Package workstations holds that the program compiles for every system that a person may run it on
// (ADR 41): it type-checks the program and all that it imports from source, with the files that the
// go command chooses for each. A build, or go vet, would compile a thousand packages a second time:
// minutes of processor time on CI, for errors that the compiler's first pass finds as well.
package workstations

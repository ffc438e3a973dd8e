// Package workstations checks that the program compiles for every system that users may run it on
// (ADR 41). It type-checks the program and all its imports from source, with the files that the go
// command chooses for each system. A build, or go vet, would compile a thousand packages a second
// time. That takes minutes of processor time on CI, for errors that the compiler's first pass finds
// as well.
package workstations

// Package workstations checks that the program compiles for every system on which users may run it
// (ADR 41). It type-checks the program and all its imports from source, with the files that the go
// command selects for each system. A build or go vet would compile a thousand packages for each
// system. That takes minutes of processor time, for errors that type-checking finds as well.
package workstations

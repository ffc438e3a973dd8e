// Command lab builds and describes the lab: everything that `make up` needs on a machine without
// the internet.
//
//	go run ./cmd/lab build|vm|env|parts|fault|machines …
package main

// Command lab builds and describes the lab: everything that `make up` needs without internet
// access.
//
//	go run ./cmd/lab build|vm|env|parts|fault|machines …
package main

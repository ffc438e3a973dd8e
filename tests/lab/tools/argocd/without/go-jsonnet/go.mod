module github.com/google/go-jsonnet

go 1.26.0

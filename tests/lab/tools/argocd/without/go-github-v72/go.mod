module github.com/google/go-github/v72

go 1.26.0

module github.com/google/go-github/v84

go 1.26.0

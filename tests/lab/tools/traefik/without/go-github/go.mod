module github.com/google/go-github/v28

go 1.26.0

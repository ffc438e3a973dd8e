module github.com/google/go-github/v69

go 1.26.0

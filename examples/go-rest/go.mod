module strata/examples/go-rest

go 1.26.8

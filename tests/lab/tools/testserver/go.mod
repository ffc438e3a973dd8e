module strata/tests/lab/tools/testserver

go 1.26.0

module strata/tests/lab/tools/pause

go 1.26.0

module strata/tests/lab/tools/httpbin

go 1.26.0

require github.com/mccutchen/go-httpbin/v2 v2.18.3

module strata/tools/cert-wait

go 1.26.8

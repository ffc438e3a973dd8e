module strata/tests/lab/tools/traefik/without

go 1.26.0

module strata/tests/lab/tools/argocd/without

go 1.26.0

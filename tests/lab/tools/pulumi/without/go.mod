module strata/tests/lab/tools/pulumi/without

go 1.26.0

module strata/tests/lab/plugins/command

go 1.26.0

require (
	github.com/pulumi/pulumi-go-provider v1.3.0
	github.com/pulumi/pulumi/sdk/v3 v3.250.0
	golang.org/x/crypto v0.58.0
)

module github.com/cert-manager/cert-manager/lab/without

go 1.26.0

module github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager

go 1.26.0

require github.com/aws/aws-sdk-go-v2/service/s3 v1.102.2

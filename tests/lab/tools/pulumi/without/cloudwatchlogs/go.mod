module github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs

go 1.26.0

require github.com/aws/aws-sdk-go-v2 v1.41.11

module gitlab.com/gitlab-org/api/client-go

go 1.26.0

package ecs

import "context"

// ListClustersInput selects clusters.
type ListClustersInput struct{}

// ListClustersOutput is a page of them.
type ListClustersOutput struct{ ClusterArns []string }

// ListClustersPaginator goes through the pages.
type ListClustersPaginator struct{}

// NewListClustersPaginator returns one.
func NewListClustersPaginator(*Client, *ListClustersInput) *ListClustersPaginator {
	return &ListClustersPaginator{}
}

// HasMorePages says yes, so that NextPage can refuse.
func (*ListClustersPaginator) HasMorePages() bool { return true }

// NextPage refuses.
func (*ListClustersPaginator) NextPage(context.Context) (*ListClustersOutput, error) {
	return nil, errNone
}

// ListTasksInput selects tasks.
type ListTasksInput struct {
	Cluster       *string
	DesiredStatus string
}

// ListTasksOutput is a page of them.
type ListTasksOutput struct{ TaskArns []string }

// ListTasksPaginator goes through the pages.
type ListTasksPaginator struct{}

// NewListTasksPaginator returns one.
func NewListTasksPaginator(*Client, *ListTasksInput) *ListTasksPaginator {
	return &ListTasksPaginator{}
}

// HasMorePages says yes, so that NextPage can refuse.
func (*ListTasksPaginator) HasMorePages() bool { return true }

// NextPage refuses.
func (*ListTasksPaginator) NextPage(context.Context) (*ListTasksOutput, error) { return nil, errNone }

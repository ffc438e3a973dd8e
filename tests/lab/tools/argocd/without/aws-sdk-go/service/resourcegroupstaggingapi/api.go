// Package resourcegroupstaggingapi has no resources.
package resourcegroupstaggingapi

import (
	"github.com/aws/aws-sdk-go/aws"
	"github.com/aws/aws-sdk-go/aws/request"
	"github.com/aws/aws-sdk-go/aws/session"
)

// ResourceGroupsTaggingAPI refuses.
type ResourceGroupsTaggingAPI struct{}

// New returns one.
func New(*session.Session) *ResourceGroupsTaggingAPI { return &ResourceGroupsTaggingAPI{} }

// TagFilter selects resources.
type TagFilter struct {
	Key    *string
	Values []*string
}

// GetResourcesInput selects a page.
type GetResourcesInput struct {
	ResourceTypeFilters []*string
	TagFilters          []*TagFilter
	PaginationToken     *string
}

// ResourceTagMapping is a resource.
type ResourceTagMapping struct{ ResourceARN *string }

// GetResourcesOutput is a page.
type GetResourcesOutput struct {
	ResourceTagMappingList []*ResourceTagMapping
	PaginationToken        *string
}

// GetResourcesWithContext refuses.
func (*ResourceGroupsTaggingAPI) GetResourcesWithContext(aws.Context, *GetResourcesInput, ...request.Option) (*GetResourcesOutput, error) {
	return nil, aws.ErrNone
}

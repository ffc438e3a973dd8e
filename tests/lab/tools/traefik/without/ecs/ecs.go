// Package ecs stands in for Amazon's SDK of that name, which Traefik's provider ECS uses.
package ecs

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"
)

var errNone = errors.New("the lab's Traefik has no provider ECS")

// Client asks nobody.
type Client struct{}

// NewFromConfig returns a Client.
func NewFromConfig(aws.Config) *Client { return &Client{} }

// DescribeTasksInput names tasks.
type DescribeTasksInput struct {
	Cluster *string
	Tasks   []string
}

// DescribeTasksOutput has them.
type DescribeTasksOutput struct{ Tasks []types.Task }

// DescribeTasks refuses.
func (*Client) DescribeTasks(context.Context, *DescribeTasksInput) (*DescribeTasksOutput, error) {
	return nil, errNone
}

// DescribeContainerInstancesInput names machines.
type DescribeContainerInstancesInput struct {
	Cluster            *string
	ContainerInstances []string
}

// DescribeContainerInstancesOutput has them.
type DescribeContainerInstancesOutput struct{ ContainerInstances []types.ContainerInstance }

// DescribeContainerInstances refuses.
func (*Client) DescribeContainerInstances(context.Context, *DescribeContainerInstancesInput) (*DescribeContainerInstancesOutput, error) {
	return nil, errNone
}

// DescribeTaskDefinitionInput names a definition.
type DescribeTaskDefinitionInput struct{ TaskDefinition *string }

// DescribeTaskDefinitionOutput has it.
type DescribeTaskDefinitionOutput struct{ TaskDefinition *types.TaskDefinition }

// DescribeTaskDefinition refuses.
func (*Client) DescribeTaskDefinition(context.Context, *DescribeTaskDefinitionInput) (*DescribeTaskDefinitionOutput, error) {
	return nil, errNone
}

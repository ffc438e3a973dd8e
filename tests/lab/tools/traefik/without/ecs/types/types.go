// Package types has what Traefik reads of a task.
package types

// Names of states and protocols.
const (
	DesiredStatusRunning  = "RUNNING"
	HealthStatusHealthy   = HealthStatus("HEALTHY")
	HealthStatusUnhealthy = HealthStatus("UNHEALTHY")
	NetworkModeAwsvpc     = "awsvpc"
	TransportProtocolTcp  = TransportProtocol("tcp")
)

// HealthStatus is a task's.
type HealthStatus string

// TransportProtocol is a port's.
type TransportProtocol string

// Task is a group of containers that run.
type Task struct {
	TaskArn, TaskDefinitionArn, ContainerInstanceArn, Group, LastStatus *string

	HealthStatus HealthStatus
	Containers   []Container
	Attachments  []struct{}
}

// Container is one of a task.
type Container struct {
	Name              *string
	NetworkInterfaces []NetworkInterface
	NetworkBindings   []PortMapping
}

// NetworkInterface is a container's.
type NetworkInterface struct{ PrivateIpv4Address, Ipv6Address *string }

// PortMapping is a port of a container and of its machine.
type PortMapping struct {
	HostPort, ContainerPort *int32
	Protocol                TransportProtocol
}

// ContainerInstance is a machine.
type ContainerInstance struct{ Ec2InstanceId, ContainerInstanceArn *string }

// TaskDefinition is what a task is made from.
type TaskDefinition struct {
	NetworkMode          string
	ContainerDefinitions []ContainerDefinition
}

// ContainerDefinition is what a container is made from.
type ContainerDefinition struct {
	Name         *string
	DockerLabels map[string]string
	PortMappings []PortMapping
}

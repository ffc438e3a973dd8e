// Package types has what Traefik reads of an instance.
package types

// InstanceStateName is a state.
type InstanceStateName string

// InstanceStateNameRunning is the only one that Traefik asks for.
const InstanceStateNameRunning InstanceStateName = "running"

// InstanceState is an instance's.
type InstanceState struct{ Name InstanceStateName }

// Instance is a machine.
type Instance struct {
	InstanceId, PrivateIpAddress *string
	State                        *InstanceState
}

// Reservation is a group of them.
type Reservation struct{ Instances []Instance }

// Package types has what Traefik reads of a machine.
package types

// InstanceInformation is a machine.
type InstanceInformation struct{ InstanceId, IPAddress *string }

// InstanceInformationStringFilter selects some.
type InstanceInformationStringFilter struct {
	Key    *string
	Values []string
}

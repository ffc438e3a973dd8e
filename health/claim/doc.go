// Package claim gates a PersistentVolumeClaim, which must be bound to a volume.
package claim

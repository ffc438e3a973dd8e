// Package claim gates a PersistentVolumeClaim: bound to a volume.
package claim

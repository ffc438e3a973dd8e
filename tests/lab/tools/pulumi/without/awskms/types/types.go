// Package types names the errors that its users tell apart.
package types

// NotFoundException is one.
type NotFoundException struct{}

// ErrorCode is its name.
func (*NotFoundException) ErrorCode() string { return "NotFoundException" }

// InvalidCiphertextException is one.
type InvalidCiphertextException struct{}

// ErrorCode is its name.
func (*InvalidCiphertextException) ErrorCode() string { return "InvalidCiphertextException" }

// InvalidKeyUsageException is one.
type InvalidKeyUsageException struct{}

// ErrorCode is its name.
func (*InvalidKeyUsageException) ErrorCode() string { return "InvalidKeyUsageException" }

// KMSInternalException is one.
type KMSInternalException struct{}

// ErrorCode is its name.
func (*KMSInternalException) ErrorCode() string { return "KMSInternalException" }

// KMSInvalidStateException is one.
type KMSInvalidStateException struct{}

// ErrorCode is its name.
func (*KMSInvalidStateException) ErrorCode() string { return "KMSInvalidStateException" }

// DisabledException is one.
type DisabledException struct{}

// ErrorCode is its name.
func (*DisabledException) ErrorCode() string { return "DisabledException" }

// InvalidGrantTokenException is one.
type InvalidGrantTokenException struct{}

// ErrorCode is its name.
func (*InvalidGrantTokenException) ErrorCode() string { return "InvalidGrantTokenException" }

// KeyUnavailableException is one.
type KeyUnavailableException struct{}

// ErrorCode is its name.
func (*KeyUnavailableException) ErrorCode() string { return "KeyUnavailableException" }

// DependencyTimeoutException is one.
type DependencyTimeoutException struct{}

// ErrorCode is its name.
func (*DependencyTimeoutException) ErrorCode() string { return "DependencyTimeoutException" }

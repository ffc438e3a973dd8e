package k3shost

import _ "embed"

// RecordFunctions defines shell functions that write a record, and that print what differs from it.
// The functions are POSIX shell.
//
//go:embed record.sh
var RecordFunctions string

// SysctlsFunction defines a shell function, undone, that prints the sysctls that K3s needs and that
// are off.
//
//go:embed sysctls.sh
var SysctlsFunction string

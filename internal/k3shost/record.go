package k3shost

import _ "embed"

// RecordFunctions defines shell functions that record the files that Strata wrote on a host, and
// print the files that differ from that record. The functions are POSIX shell.
//
//go:embed record.sh
var RecordFunctions string

// SysctlsFunction defines a shell function, undone, that prints the sysctls that K3s needs and that
// are off.
//
//go:embed sysctls.sh
var SysctlsFunction string

package k3shost

import _ "embed"

// Records of the files that Strata wrote on a host: those of K3s, and those of keepalived. An
// install writes them, and package drift compares the host with them.
const (
	K3sRecord        = "/var/lib/strata/k3s.files"
	KeepalivedRecord = "/var/lib/strata/keepalived.files"
)

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

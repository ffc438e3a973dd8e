package artifacts

import "syscall"

// changed is when a file was last changed in any way, in nanoseconds.
func changed(file *syscall.Stat_t) int64 { return file.Ctim.Nano() }

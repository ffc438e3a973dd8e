package artifacts

import "syscall"

// changeTime returns a file's ctime, in nanoseconds since 1970.
func changeTime(file *syscall.Stat_t) int64 { return file.Ctim.Nano() }

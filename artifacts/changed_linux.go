package artifacts

import "syscall"

// changeTime returns the time of a file's last change of any kind, in nanoseconds.
func changeTime(file *syscall.Stat_t) int64 { return file.Ctim.Nano() }

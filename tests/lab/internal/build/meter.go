package build

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// tick is the unit of the times in /proc. Linux reports them to programs in hundredths of a second.
const tick = 10 * time.Millisecond

// meter measures the processor time of this process and of all its descendants. Unlike elapsed
// time, it does not depend on other processes.
type meter struct {
	mutex sync.Mutex
	taken time.Duration
}

// take returns the processor time spent since the last take, by this process and its ended
// descendants. The kernel adds a child's time when the child is waited for. So at the end of a
// part, take returns the part's time, and that of other parts' commands that ended meanwhile.
func (m *meter) take() time.Duration {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	now := spent(unix.RUSAGE_SELF) + spent(unix.RUSAGE_CHILDREN)
	used := now - m.taken
	m.taken = now
	return used
}

// total returns the processor time spent so far, including that of running descendants.
func (m *meter) total() time.Duration {
	return spent(unix.RUSAGE_SELF) + spent(unix.RUSAGE_CHILDREN) + descendants("/proc", os.Getpid())
}

// spent returns the processor time of this process (RUSAGE_SELF), or of its ended children
// (RUSAGE_CHILDREN).
func spent(who int) time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(who, &usage); err != nil {
		return 0 // only an invalid who fails
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// descendants returns the processor time of all running descendants of a process, including that of
// their ended children.
func descendants(proc string, pid int) time.Duration {
	files, err := filepath.Glob(filepath.Join(proc, "[0-9]*", "stat"))
	if err != nil {
		return 0 // only an invalid pattern fails
	}
	children, times := map[int][]int{}, map[int]time.Duration{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the process has ended
		}
		if one, parent, used, ok := parseStat(string(text)); ok {
			children[parent] = append(children[parent], one)
			times[one] = used
		}
	}
	var sum time.Duration
	for left := children[pid]; len(left) > 0; left = left[1:] {
		sum += times[left[0]]
		left = append(left, children[left[0]]...)
	}
	return sum
}

// parseStat parses a line of /proc/PID/stat (proc_pid_stat(5)). It returns the process id, the
// parent's id, and the sum of utime, stime, cutime and cstime.
func parseStat(text string) (pid, parent int, used time.Duration, ok bool) {
	// The process name, in parentheses, may contain spaces and parentheses.
	head, _, found := strings.Cut(text, " (")
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	const ppid, utime, cstime = 1, 11, 14 // indexes from the state, which is field 3
	if !found || len(fields) <= cstime {
		return 0, 0, 0, false
	}
	numbers := append([]string{head, fields[ppid]}, fields[utime:cstime+1]...)
	var values []int
	for _, number := range numbers {
		value, err := strconv.Atoi(number)
		if err != nil {
			return 0, 0, 0, false
		}
		values = append(values, value)
	}
	for _, value := range values[2:] {
		used += time.Duration(value) * tick
	}
	return values[0], values[1], used, true
}

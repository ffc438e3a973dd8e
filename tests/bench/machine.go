package bench

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
)

// machine describes this machine: processor, cores, memory, kernel.
func machine() string {
	kernel, memory := "unknown kernel", "unknown memory"
	if text, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		kernel = "Linux " + strings.TrimSpace(string(text))
	}
	var kib int
	if _, err := fmt.Sscanf(field("/proc/meminfo", "MemTotal"), "%d kB", &kib); err == nil {
		memory = fmt.Sprintf("%d GiB", int(math.Round(float64(kib)/(1<<20))))
	}
	processor := field("/proc/cpuinfo", "model name")
	if processor == "" {
		processor = "unknown processor" // as on arm64, where the kernel gives numbers only
	}
	return fmt.Sprintf("%s, %d cores, %s, %s, %s", processor, runtime.NumCPU(), memory, kernel,
		runtime.GOARCH)
}

// field returns the first value of a name in a file of lines such as "MemTotal:  123 kB"; empty if
// there is none.
func field(path, name string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if key, value, found := strings.Cut(lines.Text(), ":"); found &&
			strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

package recovery

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
)

// start holds the data of a process's start, as macOS records it. The parser has no build tag, so
// that its test runs on every system.
type start struct {
	program           string
	args, environment []string
}

// parseStart parses the output of sysctl kern.procargs2: the number of arguments, the program's
// path, zero bytes for alignment, the arguments, and the environment. Each text ends with a zero
// byte (xnu bsd/kern/kern_sysctl.c, sysctl_procargsx).
func parseStart(raw []byte) (start, error) {
	const size = 4
	errCut := errors.New("the kernel's record of a process's start is cut off")
	if len(raw) < size {
		return start{}, errCut
	}
	count := int(binary.NativeEndian.Uint32(raw))
	program, rest, whole := bytes.Cut(raw[size:], []byte{0})
	if !whole || count == 0 {
		return start{}, errCut
	}
	texts := strings.Split(string(bytes.TrimLeft(rest, "\x00")), "\x00")
	if len(texts) <= count {
		return start{}, errCut
	}
	found := start{program: string(program), args: texts[:count]}
	for _, text := range texts[count:] {
		if text == "" {
			break // the kernel's own strings follow
		}
		found.environment = append(found.environment, text)
	}
	return found, nil
}

// parseFolders parses the output of `lsof -F pn` and returns the working directory by PID. Each
// process has a line p<PID>, a line f<descriptor> and a line n<path>.
func parseFolders(text string) map[int]string {
	found := map[int]string{}
	pid := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if number, ok := strings.CutPrefix(line, "p"); ok {
			pid, _ = strconv.Atoi(number)
		}
		if path, ok := strings.CutPrefix(line, "n"); ok && pid != 0 {
			found[pid] = path
		}
	}
	return found
}

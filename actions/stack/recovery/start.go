package recovery

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
)

// start records a process's start in macOS's format. Every system compiles the parser, so that its
// test runs everywhere.
type start struct {
	program           string
	args, environment []string
}

// parseStart parses sysctl kern.procargs2: the number of arguments, the program's path, zeros up to
// a boundary, the arguments, and the environment. Each text ends with a zero (xnu
// bsd/kern/kern_sysctl.c, sysctl_procargsx).
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
			break // the rest belongs to the kernel
		}
		found.environment = append(found.environment, text)
	}
	return found, nil
}

// parseFolders parses lsof's output for programs: for each process a line with p and its number,
// then f with the descriptor, and n with the path.
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

package host

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"strata/health/observe"
)

// complaint measures for how long a unit's log has shown the same cause, over several starts.
type complaint struct {
	stable *observe.Stable
	// cause is the last known cause with belief repeated, and line the last log line that showed
	// it. told is the number of seconds from the first log line with this cause to line.
	cause, line string
	told        int
}

// seconds returns UnitFacts.Seconds. A log without a known cause does not reset the number: a
// server that exited because of a fault starts again with an empty log.
func (c *complaint) seconds(f UnitFacts) int {
	known, line, ok := knownCause(f.Log)
	switch {
	case f.Active == "active" || ok && known.belief == repeated && f.joinsInVain():
		c.end()
		return 0
	case !ok:
		return 0
	case known.belief != repeated:
		c.cause = ""
		return c.stable.Seconds("cause", known.cause)
	case c.cause != known.cause:
		c.end()
		c.cause, c.line, c.told = known.cause, line, c.stable.Seconds("cause", known.cause)
	case c.line != line: // a new refusal, because each line has its own time
		c.line, c.told = line, c.stable.Seconds("cause", known.cause)
	}
	return c.told
}

func (c *complaint) end() {
	c.stable.Forget("cause")
	c.cause, c.line, c.told = "", "", 0
}

// importing matches the lines that K3s logs before and after it imports an archive of images
// (pkg/agent/containerd/containerd.go and watcher.go).
var importing = regexp.MustCompile(`Import(ing|ed) images from ([^"\s]+)`)

// imports returns the file name of the archive that K3s is importing; empty if it imports none. K3s
// imports at every start, before it starts the kubelet.
func imports(log []string) string {
	for i := len(log) - 1; i >= 0; i-- {
		if found := importing.FindStringSubmatch(log[i]); found != nil {
			if found[1] == "ed" {
				return ""
			}
			return path.Base(found[2])
		}
	}
	return ""
}

// tellingLines limits the log lines that are shown as evidence.
const tellingLines = 5

// klogHeader matches the level, time and process at the beginning of a line of klog, which
// Kubernetes' components log with.
var klogHeader = regexp.MustCompile(`^[EWF]\d{4} [\d:.]+\s+\d+ `)

// findCauseLines returns up to tellingLines lines as evidence, oldest first and without
// repetitions: the lines of the known cause, and the line with which K3s exited. Without a known
// cause it returns the last lines above level info. Other lines would mislead: all components log
// in one process, and each reports missing peers until they are up.
func findCauseLines(log []string) []string {
	known, _, ok := knownCause(log)
	var lines, said []string
	for i := len(log) - 1; i >= 0 && len(lines) < tellingLines; i-- {
		line, short := log[i], shortLine(klogHeader.ReplaceAllString(log[i], ""))
		about := ok && (known.match.MatchString(line) || known.cause == causeMismatch &&
			differing.MatchString(line))
		if about || isFatalLine(line) && len(lines) == 0 || !ok && !strings.Contains(line, "level=info") {
			if !slices.Contains(said, short) {
				lines, said = append(lines, line), append(said, short)
			}
		}
	}
	slices.Reverse(lines)
	return lines
}

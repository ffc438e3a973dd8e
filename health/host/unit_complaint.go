package host

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"strata/health/observe"
)

// complaint follows the complaints in a unit's log over its starts.
type complaint struct {
	stable *observe.Stable
	// cause is the last known complaint, and line the last log line that had it. told is the number
	// of seconds for which the cause had been repeated when line was logged.
	cause, line string
	told        int
}

// seconds returns UnitFacts.Seconds. A new start without a message does not end a complaint: a
// server that ended because of one is started again, with an empty log.
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
	case c.line != line: // each has its time
		c.line, c.told = line, c.stable.Seconds("cause", known.cause)
	}
	return c.told
}

func (c *complaint) end() {
	c.stable.Forget("cause")
	c.cause, c.line, c.told = "", "", 0
}

// importing is K3s's line before and after each archive of images
// (pkg/agent/containerd/containerd.go and watcher.go).
var importing = regexp.MustCompile(`Import(ing|ed) images from ([^"\s]+)`)

// imports returns the archive that K3s is importing; empty if it imports none. K3s imports at every
// start, before it starts the kubelet.
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

// tellingLines is the number of last complaints that are shown as evidence for a unit without a
// known cause.
const tellingLines = 5

// klogHeader is the time, process and place of a line of Kubernetes' own.
var klogHeader = regexp.MustCompile(`^[EWF]\d{4} [\d:.]+\s+\d+ `)

// findCauseLines returns the lines of a log that show its cause: the lines of the known cause
// without repetitions, and the line with which K3s ended. Without a known cause it returns the last
// complaints. K3s runs a cluster's components in one process, and each component logs its missing
// peers until they are up.
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

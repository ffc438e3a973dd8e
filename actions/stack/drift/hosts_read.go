package drift

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"strata/internal/k3shost"
	"strata/internal/ssh/remote"
)

// compareHost returns the differences of one host.
func compareHost(ctx context.Context, host host) ([]Difference, error) {
	output, err := k3shost.Run(ctx, host.target, host.key, HostScript(host.cluster,
		host.target.Name, host.pushedLines()))
	if err != nil || output == "" {
		return nil, err
	}
	var found []Difference
	for line := range strings.SplitSeq(output, "\n") {
		one, err := host.parseLine(line)
		if err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	return found, nil
}

//go:embed host.sh
var hostScript string

// HostScript returns the script that compares a host of a cluster with the records of its last
// installs. pushed has the lines of a record for the files that were pushed to the host.
func HostScript(cluster, node, pushed string) string {
	return "set -eu\nCLUSTER=" + remote.Quote(cluster) + " NODE=" + remote.Quote(node) +
		" pushed=" + remote.Quote(pushed) + "\n" + k3shost.RecordFunctions +
		k3shost.SysctlsFunction + hostScript
}

// pushedLines returns a line for each pushed file, with its checksum and path only. It leaves out
// the checksum of the binary, because the binary is large and the install verifies it.
func (h host) pushedLines() string {
	var lines strings.Builder
	for _, input := range h.pushed {
		sum := input.SHA256
		if input.Dest == k3shost.Staged {
			sum = "-"
		}
		fmt.Fprintf(&lines, "%s - - - %s\n", sum, input.Dest)
	}
	return lines.String()
}

// errLine reports an output line in an unknown format. It does not quote the line.
var errLine = errors.New("expected lines of 5 fields from the comparison, found others")

// parseLine returns the difference in a line of the script's output.
func (h host) parseLine(line string) (Difference, error) {
	fields := strings.Split(line, "\t")
	if len(fields) != 5 || !slices.Contains([]Verdict{Changed, Missing, Extra}, Verdict(fields[1])) {
		return Difference{}, errLine
	}
	owner, word, thing := fields[0], fields[2], fields[4]
	return Difference{
		Resource: h.resource(owner, thing, word), Thing: thing + " on " + h.target.Name,
		Verdict: Verdict(fields[1]), Evidence: fields[3], Kept: h.reasonToKeep(thing, word),
	}, nil
}

// resource returns the name of the resource that puts thing back. If K3s runs another binary, this
// is the upgrade, because the upgrade drains the node first.
func (h host) resource(owner, thing, word string) string {
	if owner == "push" {
		for name, input := range h.pushed {
			if input.Dest == thing {
				return name
			}
		}
	}
	if thing == k3shost.Program && word == "running" {
		return h.component + "-upgrade"
	}
	return h.component + "-" + h.target.Name + "-" + owner
}

// reasonToKeep returns the reason why an update does not put thing back; empty if an update does.
func (h host) reasonToKeep(thing, word string) string {
	switch word {
	case "extra":
		return fmt.Sprintf("Strata did not write it; on %s: rm %s, then systemctl daemon-reload and "+
			"restart the unit", h.target.Name, thing)
	case "owner":
		return "no update changes another owner's host: strata owner -s STACK " + h.target.Name
	case "package":
		return fmt.Sprintf("Strata installs no package; on %s: apt-get install keepalived, then run "+
			"pulumi up", h.target.Name)
	}
	return ""
}

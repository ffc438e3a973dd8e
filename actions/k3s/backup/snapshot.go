package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"strata/config"
	"strata/internal/text/table"
)

// Save takes an etcd snapshot, in addition to the scheduled ones, on the first server that can take
// one. If to is not empty, it copies the snapshot to this local folder, because a snapshot on a
// host is lost with the host. log receives the errors of servers that fail; Save fails if all
// servers fail.
func (c Cluster) Save(ctx context.Context, to string, out, log io.Writer) error {
	hosts, servers := c.hosts(log), c.plan.NodesByRole(config.RoleServer)
	for _, server := range servers {
		output, err := bounded{hosts}.Run(ctx, server, "save", nil)
		if err != nil && ctx.Err() != nil { // the caller cancelled, so do not try the other servers
			return fmt.Errorf("snapshot on %s: %w", server.Name, err)
		}
		if err != nil {
			_, _ = fmt.Fprintf(log, "snapshot on %s: %v\n", server.Name, err)
			continue
		}
		name, rest, _ := strings.Cut(output, " ")
		size, sum, _ := strings.Cut(rest, " ")
		_, err = fmt.Fprintf(out, "%s on %s: %s bytes, sha256 %s\n", name, server.Name, size, sum)
		if err != nil || to == "" {
			return err
		}
		local := filepath.Join(to, name)
		if err := hosts.Copy(ctx, server, name, local, sum); err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "copied to %s\n", local)
		return err
	}
	return fmt.Errorf(
		"none of %d servers could take a snapshot (see above); if they lost their quorum: strata restore --current",
		len(servers))
}

// List prints the snapshots of every server. It returns the joined errors of servers that do not
// answer.
func (c Cluster) List(ctx context.Context, out, log io.Writer) error {
	hosts := bounded{c.hosts(log)}
	rows := table.New(out, "SERVER", "SNAPSHOT", "BYTES", "WRITTEN")
	var failures []error
	for _, server := range c.plan.NodesByRole(config.RoleServer) {
		output, err := hosts.Run(ctx, server, "list", nil)
		if err != nil {
			failures = append(failures, fmt.Errorf("snapshots of %s: %w", server.Name, err))
			continue
		}
		for line := range strings.Lines(output) {
			if fields := strings.Fields(line); len(fields) == 3 {
				rows.Row(append([]string{server.Name}, fields...)...)
			}
		}
	}
	return errors.Join(append(failures, rows.Flush())...)
}

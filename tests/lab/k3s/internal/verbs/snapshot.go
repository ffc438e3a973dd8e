package verbs

import (
	"context"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"strata/tests/lab/k3s/internal/datastore"
	"strata/tests/lab/k3s/internal/server"
	"strata/tests/lab/k3s/internal/settings"
)

const defaultRetention = 5 // K3s's etcd-snapshot-retention

// etcdSnapshot handles save, ls and prune. K3s asks the running server over HTTP; the lab talks to etcd.
func etcdSnapshot(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("expected save, ls, delete or prune")
	}
	action, rest := args[0], args[1:]
	parsed, err := settings.ParseSnapshot(rest)
	if err != nil {
		return err
	}
	snapshots, err := server.Snapshots(parsed)
	if err != nil {
		return err
	}
	switch action {
	case "save":
		file, err := snapshots.Save(ctx, "on-demand")
		if err == nil {
			fmt.Printf("Snapshot %s saved.\n", file.Name)
		}
		return err
	case "ls", "list", "l":
		return list(snapshots)
	case "prune":
		keep := defaultRetention
		if n, ok := parsed.Numbers["etcd-snapshot-retention"]; ok {
			keep = n
		}
		return snapshots.Prune(keep)
	}
	return fmt.Errorf("etcd-snapshot %s: the lab knows save, ls and prune", action)
}

func list(snapshots *datastore.Snapshots) error {
	files, err := snapshots.List()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "Name\tLocation\tSize\tCreated")
	for _, f := range files {
		fmt.Fprintf(w, "%s\tfile://%s\t%d\t%s\n", f.Name, f.Path, f.Size, f.Created.UTC().Format(time.RFC3339))
	}
	return w.Flush()
}

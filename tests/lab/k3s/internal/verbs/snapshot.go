package verbs

import (
	"context"
	"fmt"

	"strata/tests/lab/k3s/internal/server"
	"strata/tests/lab/k3s/internal/settings"
)

// etcdSnapshot implements `etcd-snapshot save`. K3s sends a request to the running server; the lab
// connects to etcd directly.
func etcdSnapshot(ctx context.Context, args []string) error {
	if len(args) == 0 || args[0] != "save" {
		return fmt.Errorf("etcd-snapshot: the lab knows save only")
	}
	parsed, err := settings.ParseSnapshot(args[1:])
	if err != nil {
		return err
	}
	snapshots, err := server.Snapshots(parsed)
	if err != nil {
		return err
	}
	name, err := snapshots.Save(ctx, "on-demand")
	if err == nil {
		fmt.Printf("Snapshot %s saved.\n", name)
	}
	return err
}

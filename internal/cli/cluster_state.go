package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"strata/health"
	"strata/internal/restore"
	"strata/internal/upgrade"
)

// recordedCluster is what a stack's state says about its cluster: the nodes, how they are reached, and the K3s that they run.
type recordedCluster struct {
	plan    upgrade.Plan
	secrets health.Secrets
}

// clusterOf reads a stack's cluster from its state, where the upgrade has it.
func clusterOf(ctx context.Context, project, stack string) (recordedCluster, error) {
	state, err := exportStack(ctx, project, stack)
	if err != nil {
		return recordedCluster{}, err
	}
	commands, err := resourcesIn(state, localCommand)
	if err != nil {
		return recordedCluster{}, err
	}
	for _, command := range commands {
		if !command.runs("upgrade") {
			continue
		}
		var found recordedCluster
		if err := json.Unmarshal([]byte(command.text("stdin")), &found.plan); err != nil {
			return found, fmt.Errorf("state of %s: %w; run pulumi up with this version of the program", command.URN, err)
		}
		found.secrets = secretsFrom(command.environment)
		return found, nil
	}
	if slices.ContainsFunc(commands, func(command recordedResource) bool {
		return strings.Contains(command.URN, "strata:cluster:LentCluster$")
	}) {
		return recordedCluster{}, fmt.Errorf("stack %s runs on somebody else's cluster (strata:cluster): its servers, etcd and snapshots are its owner's", stack)
	}
	return recordedCluster{}, fmt.Errorf("stack %s has no cluster yet: run pulumi up -s %s", stack, stack)
}

// hosts reaches the nodes' hosts; what gates tell goes to log.
func (c recordedCluster) hosts(log io.Writer) *restore.SSH {
	urls := c.plan.URLs()
	reach := &upgrade.SSH{SHA256: c.plan.SHA256, Secrets: c.secrets, Return: c.plan.Return.Duration, Log: log}
	return &restore.SSH{Key: c.secrets.SSHKey, SHA256: c.plan.SHA256, Owner: c.plan.Owner, Gate: func(ctx context.Context, host health.Host) error {
		return reach.Works(ctx, host, urls[host.Name])
	}}
}

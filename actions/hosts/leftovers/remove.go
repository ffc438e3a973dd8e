package leftovers

import (
	"context"
	"fmt"
	"io"

	"strata/config"
)

// ShowLeft prints the virtual machines that remain after the destroy of a stack, with the commands
// that remove them. It returns an error if at least one machine remains.
func ShowLeft(
	ctx context.Context, cfg *config.Config, project string, known Before, out io.Writer,
) error {
	if !cfg.Hosts.Driver.MakesVMs() {
		return nil
	}
	found, err := orphans(ctx, cfg, project, nil, known)
	if err != nil {
		return notLookedFor(err)
	}
	if err := showOrphans(out, cfg, found); err != nil || len(found) == 0 {
		return err
	}
	return fmt.Errorf("stack %s still has %d virtual machines or parts of them", cfg.Stack,
		len(found))
}

package drift

import (
	"context"

	"strata/internal/pulumi/stackstate"
)

// Hosts is a placeholder.
func Hosts(context.Context, *stackstate.State) (found []Difference, unanswered []error, err error) {
	return nil, nil, nil
}

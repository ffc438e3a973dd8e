package machines

import (
	"context"
	"fmt"
	"strings"

	"strata/actions/verb"
)

// RecreateMarked returns the verb that has the machines recreated that a destroy has marked and not
// deleted. recreate does it, and returns their names.
func RecreateMarked[T any](recreate func(
	ctx context.Context, all T,
) ([]string, error)) *verb.Verb[T] {
	return verb.New(func(ctx context.Context, call verb.Call, all T) error {
		names, err := recreate(ctx, all)
		if len(names) > 0 {
			_, _ = fmt.Fprintf(call.Stderr,
				"a destroy broke off among the machines; made anew: %s\n",
				strings.Join(names, ", "))
		}
		return err
	})
}

// Mark returns a verb that marks all machines of a stack, or takes a mark back.
func Mark[T any](mark func(ctx context.Context, all T) error) *verb.Verb[T] {
	return verb.New(func(ctx context.Context, _ verb.Call, all T) error { return mark(ctx, all) })
}

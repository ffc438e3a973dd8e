package health

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// ErrSpec means that the Spec or the Secrets are not usable for any observation.
var ErrSpec = errors.New("gate cannot be asked")

// Ask runs one gate. It observes until every check passes, one is Stuck, the deadline passes or ctx
// ends. It writes progress lines and the report to progress. A gate that does not open is a Result
// and not an error. The error wraps ErrSpec if nothing can be observed; otherwise progress could
// not be written.
func Ask(ctx context.Context, spec Spec, secrets Secrets, progress io.Writer) (Result, error) {
	if err := spec.Validate(); err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrSpec, err)
	}
	watch, err := spec.Body.NewWatch(spec, secrets)
	if err != nil {
		return Result{}, fmt.Errorf("%w: gate %s: %w", ErrSpec, spec.Gate, err)
	}
	result, err := wait(ctx, spec, watch, progress)
	if err != nil {
		return Result{}, fmt.Errorf("%w: gate %s: %w", ErrSpec, spec.Gate, err)
	}
	// This line comes before the report, because users see the last line.
	if _, err := io.WriteString(progress, SeenLine(result)); err != nil {
		return result, fmt.Errorf("gate %s: report: %w", spec.Gate, err)
	}
	if err := WriteReport(progress, result); err != nil {
		return result, fmt.Errorf("gate %s: report: %w", spec.Gate, err)
	}
	return result, nil
}

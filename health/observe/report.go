package observe

import (
	"context"
	"reflect"

	"strata/health"
)

// ChangesOnly hands on verdicts that differ from the ones before.
func ChangesOnly(report func([]health.Verdict)) func([]health.Verdict) {
	var last []health.Verdict
	return func(verdicts []health.Verdict) {
		if !reflect.DeepEqual(verdicts, last) {
			last = verdicts
			report(verdicts)
		}
	}
}

// ReportNews judges whenever there is news, until ctx ends, and hands on the changes; judge returns
// nil while it knows nothing.
func ReportNews(
	ctx context.Context, news <-chan struct{}, judge func() []health.Verdict,
	report func([]health.Verdict),
) {
	report = ChangesOnly(report)
	for {
		select {
		case <-ctx.Done():
			return
		case <-news:
		}
		if verdicts := judge(); verdicts != nil {
			report(verdicts)
		}
	}
}

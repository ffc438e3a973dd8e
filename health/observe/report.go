package observe

import (
	"context"
	"reflect"

	"strata/health"
)

// ChangesOnly returns a report that passes on only verdicts that differ from the previous ones.
func ChangesOnly(report func([]health.Verdict)) func([]health.Verdict) {
	var last []health.Verdict
	return func(verdicts []health.Verdict) {
		if !reflect.DeepEqual(verdicts, last) {
			last = verdicts
			report(verdicts)
		}
	}
}

// ReportNews calls judge whenever there is news, until ctx ends, and passes on the changes. judge
// returns nil as long as it knows nothing.
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

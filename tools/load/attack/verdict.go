package attack

import (
	"errors"
	"fmt"
)

// unsentAtMost limits the unsent requests, in percent of those that the rate requires: a lower load
// proves less.
const unsentAtMost = 10

// Err returns nil if the report shows that the rate was kept and no request was lost.
func (r *Report) Err() error {
	sent, lost, unsent := r.Total.Sent, r.Total.Lost, r.Unsent
	switch {
	case lost > 0:
		return fmt.Errorf("%d of %d requests were lost", lost, sent)
	case sent == 0:
		return errors.New("no request was sent, so nothing is known: let it run longer")
	case unsent*100 > unsentAtMost*(sent+unsent):
		return fmt.Errorf(
			"%d of %d requests were not sent, expected at most %d %%: this machine could not "+
				"keep the rate; lower --rate",
			unsent, sent+unsent, unsentAtMost)
	}
	return nil
}

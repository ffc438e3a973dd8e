package nspawn

import (
	"context"
	"errors"
)

// Left removes what a run that broke off left of a machine, and of the bridge when that has no
// machine any more. A machine that is whole stays, unless it was made from this very spec and
// unfinished says that no run ever heard of it; then whole is its answer. The spec needs no image
// and, for a machine that is half made, no key. One that belongs to another cluster than the spec's
// stays as it is, and is no answer.
func Left(ctx context.Context, spec Spec, unfinished bool, log *Log) (whole bool, err error) {
	if err := checkHost(); err != nil {
		return false, err
	}
	have, err := loadSpec(spec.Name)
	if err == nil && spec.Owner != nil {
		if foreign := spec.mayHave(have); foreign != nil {
			log.Printf("%v", foreign)
			return false, nil
		}
	}
	switch {
	case err == nil && isReady(spec.Name) && !(unfinished && len(rebuildReasons(have, spec)) == 0):
		return true, nil
	case err == nil, errors.Is(err, ErrUnknown) && isOurs(spec.Name):
		err = Delete(ctx, spec.Name, log)
	case errors.Is(err, ErrUnknown):
		return false, nil // a directory that was not made here
	}
	if err != nil {
		return false, err
	}
	return false, ReleaseNetwork(ctx, spec, log)
}

package nspawn

import (
	"context"
	"errors"
)

// Left removes the rest that an interrupted run left of a machine, and of the bridge if it has no
// machine any more. A complete machine stays, and whole is true. Left removes it only if unfinished
// says that no state has it, and it was made from this very spec. The spec needs no image and, for
// a half-made machine, no key. A machine of another cluster stays, and whole is false.
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

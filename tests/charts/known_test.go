package charts_test

import "strata/tests/drift"

// known are the differences between the lab's and the original of a name and version. With another version of the original all of them are
// new: whoever raises a version judges each again.
var known = map[string][]drift.Known{}

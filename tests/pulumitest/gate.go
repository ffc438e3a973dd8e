package pulumitest

import (
	"strata/actions"
	"strata/actions/gate"
)

// GateCommand is the create command of a gate's resource.
var GateCommand = string(actions.Text(gate.Ask))

package e2e

import "strata/tools/load/attack"

// lostIn counts the lost requests in the phases of a name.
func lostIn(phases []attack.Phase, name string) int {
	lost := 0
	for _, phase := range phases {
		if phase.Name == name {
			lost += phase.Lost
		}
	}
	return lost
}

// sentIn counts the requests in the phases of a name.
func sentIn(phases []attack.Phase, name string) int {
	sent := 0
	for _, phase := range phases {
		if phase.Name == name {
			sent += phase.Sent
		}
	}
	return sent
}

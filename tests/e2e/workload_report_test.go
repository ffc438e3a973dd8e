package e2e

import "strata/tools/load/attack"

// lostIn returns the number of lost requests in all phases with a name.
func lostIn(phases []attack.Phase, name string) int {
	lost := 0
	for _, phase := range phases {
		if phase.Name == name {
			lost += phase.Lost
		}
	}
	return lost
}

// sentIn returns the number of requests in all phases with a name.
func sentIn(phases []attack.Phase, name string) int {
	sent := 0
	for _, phase := range phases {
		if phase.Name == name {
			sent += phase.Sent
		}
	}
	return sent
}

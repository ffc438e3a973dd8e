package config

import (
	"fmt"
	"strconv"
	"strings"
)

// CheckK3sStep returns an error unless one upgrade can lead from one version of K3s to the other.
// An upgrade may keep the minor version or go to the next one. K3s supports no downgrade
// (https://docs.k3s.io/upgrades). Both versions have the form vX.Y.Z+k3sN.
func CheckK3sStep(from, to string) error {
	old, err := k3sNumbers(from)
	if err != nil {
		return err
	}
	wanted, err := k3sNumbers(to)
	if err != nil {
		return err
	}
	for i := range old {
		if wanted[i] > old[i] {
			break
		}
		if wanted[i] < old[i] {
			return fmt.Errorf("%s is older than %s, and K3s cannot be downgraded; set "+
				"strata:k3s.version to %s or later, or restore a snapshot of the older cluster", to,
				from, from)
		}
	}
	if wanted[0] != old[0] || wanted[1] > old[1]+1 {
		return fmt.Errorf("%s skips a minor version after %s; set strata:k3s.version to a v%d.%d "+
			"release first", to, from, old[0], old[1]+1)
	}
	return nil
}

// k3sNumbers returns the numbers of vX.Y.Z+k3sN.
func k3sNumbers(version string) (numbers [4]int, err error) {
	if !k3sVersion.MatchString(version) {
		return numbers, fmt.Errorf("version of K3s: expected the form vX.Y.Z+k3sN, found %q",
			version)
	}
	for i, text := range strings.FieldsFunc(version, func(r rune) bool { return r < '0' || r > '9' })[:3] {
		if numbers[i], err = strconv.Atoi(text); err != nil {
			return numbers, fmt.Errorf("version of K3s %q: %w", version, err)
		}
	}
	numbers[3], err = strconv.Atoi(version[strings.LastIndex(version, "k3s")+len("k3s"):])
	return numbers, err
}

package config

import (
	"encoding/json"
	"fmt"
	"slices"
)

// LaterValues validates a chart's values that another Pulumi resource computes, by the rules for
// values in a stack file, and returns them as Values. The error has a Problem for each mistake;
// none quotes a value, which may be secret.
func (c *Config) LaterValues(artifact string, given map[string]any) (Values, error) {
	text, err := json.Marshal(given)
	if err != nil {
		return Values{}, fmt.Errorf("values of %s: %w", artifact, err)
	}
	row := charts[slices.IndexFunc(charts, func(row chart) bool { return row.Name == artifact })]
	own := Values{Key: row.values}
	own.Tree, _ = plain(valueOf(string(text))).(map[string]any)
	var ps problems
	own.checkAll(c, &ps)
	for i := range ps {
		ps[i].Value = ""
	}
	return own, ps.err()
}

// CheckAddresses applies the rules of metallb.addresses to ranges that another resource computes.
// The error has a Problem for each mistake.
func (c *Config) CheckAddresses(ranges []string) error {
	given, ps := *c, problems{}
	given.MetalLB.Addresses = ranges
	given.checkAnyAddress(&ps)
	given.checkRanges(&ps)
	return ps.err()
}

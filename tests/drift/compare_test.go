package drift_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/tests/drift"
)

func TestCompareSortsDifferencesIntoUnknownKnownAndOutdated(t *testing.T) {
	standIn := []string{"port 80", "port 90", "same", "same"}
	original := []string{"same", "port 443", "role a", "role b"}
	report := drift.Compare(standIn, original, []drift.Known{
		{Fact: "- port 90", Why: "the lab asks for it"},
		{Fact: "+ role *", Why: "the lab has no roles"},
		{Fact: "- port 70", Why: "it was there once"},
	})
	assert.Equal(t, []string{"+ port 443", "- port 80"}, report.Unknown)
	assert.Equal(t,
		[]string{"- port 90 (the lab asks for it)", "+ role a (the lab has no roles)",
			"+ role b (the lab has no roles)"}, report.Explained)
	assert.Equal(t, []string{"- port 70"}, report.Outdated)
}

// If the stand-in has an extra fact, a known extra fact of upstream does not explain it.
func TestKnownDifferenceAppliesToItsSideOnly(t *testing.T) {
	report := drift.Compare([]string{"port 80"}, nil,
		[]drift.Known{{Fact: "+ port 80", Why: "the other way round"}})
	assert.Equal(t, []string{"- port 80"}, report.Unknown)
	assert.Equal(t, []string{"+ port 80"}, report.Outdated)
}

func TestCompareOfEqualFactsIsEmpty(t *testing.T) {
	assert.Equal(t, drift.Report{}, drift.Compare([]string{"a", "b"}, []string{"b", "a"}, nil))
}

package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// nearest returns the known word that most resembles word, or "" if none does. A third of the
// letters may differ, but at least two, because two swapped letters count as two. In a word of two
// or three letters, one may differ.
func nearest(word string, known []string) string {
	allowed := max(2, len(word)/3)
	if len(word) < 4 {
		allowed = min(1, len(word)-1)
	}
	best, bestDistance := "", allowed+1
	for _, candidate := range slices.Sorted(slices.Values(known)) {
		distance := levenshtein.Distance(strings.ToLower(word), strings.ToLower(candidate), nil)
		if distance < bestDistance {
			best, bestDistance = candidate, distance
		}
	}
	return best
}

// suggestion returns the fix for an unknown word: the nearest known word, or else all known words.
func suggestion(word string, known []string) string {
	if best := nearest(word, known); best != "" {
		return fmt.Sprintf("did you mean %s?", best)
	}
	return "known are " + strings.Join(slices.Sorted(slices.Values(known)), ", ")
}

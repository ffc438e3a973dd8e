package driver

import (
	"strings"

	"strata/internal/ssh/remote"
)

// Shell quotes words into one command line.
func Shell(words []string) string {
	quoted := make([]string, len(words))
	for i, one := range words {
		if quoted[i] = one; !plainWord(one) {
			quoted[i] = remote.Quote(one)
		}
	}
	return strings.Join(quoted, " ")
}

// plainWord reports whether a shell needs no quotes for a word.
func plainWord(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("-_./:=,%@+", r))
	}) < 0
}

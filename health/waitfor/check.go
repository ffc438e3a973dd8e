package waitfor

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// ErrRefused is wrapped by every refusal.
var ErrRefused = errors.New("waitFor expression refused")

func refuse(part, why string) error { return fmt.Errorf("%w: %q: %s", ErrRefused, part, why) }

// conditionType is the form of a condition's type (metav1.Condition).
var conditionType = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_./-]*[A-Za-z0-9])?$`)

// Check says whether the provider reads one part of an annotation as it is written. The error wraps
// ErrRefused and says why not.
func Check(part string) error {
	if name, found := strings.CutPrefix(part, "condition="); found {
		if !conditionType.MatchString(name) {
			return refuse(part, "not the type of a condition")
		}
		return nil
	}
	raw, found := strings.CutPrefix(part, "jsonpath=")
	if !found {
		return refuse(part, `a part begins with "jsonpath=" or "condition="`)
	}
	if strings.HasPrefix(raw, "'") || strings.HasPrefix(raw, `"`) {
		return refuse(part, "shell quotes are not removed by the provider")
	}
	end := closing(raw)
	if end < 0 {
		return refuse(part, "the path is not wrapped in { }")
	}
	path, rest := raw[1:end], raw[end+1:]
	if why := checkPath(path); why != "" {
		return refuse(part, why)
	}
	if rest == "" {
		return nil
	}
	if why := checkValue(path, rest); why != "" {
		return refuse(part, why)
	}
	return nil
}

// closing is the index of the brace that closes the one at the start of raw, -1 if there is none.
func closing(raw string) int {
	if !strings.HasPrefix(raw, "{") {
		return -1
	}
	var quote rune
	for i, c := range raw[1:] {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '{':
			return -1
		case c == '}':
			return i + 1
		}
	}
	return -1
}

// checkPath says what is wrong with a path, in the reading of every provider since 4.24.
func checkPath(path string) string {
	switch {
	case !strings.HasPrefix(strings.TrimPrefix(path, "$"), ".") && !strings.HasPrefix(strings.TrimPrefix(path, "$"), "["):
		return "a path begins with . or ["
	case strings.Contains(path, `\`):
		return `the path is RFC 9535: write ['a.b/c'] instead of a backslash`
	case strings.Contains(path, "[]"):
		return "[] is not RFC 9535: write [*]"
	case strings.Contains(strings.ReplaceAll(path, "==", ""), "="):
		// Providers before 4.32 split the text at every = that is not part of ==.
		return "the provider splits at =: inside a path only == can be used, not !=, >=, <= or ==="
	case !balanced(path):
		return "brackets, parentheses or quotes do not match"
	}
	return ""
}

// checkValue says what is wrong with what follows the path.
func checkValue(path, rest string) string {
	value, found := strings.CutPrefix(rest, "=")
	switch {
	case !found:
		return "after the path comes nothing or =value"
	case strings.HasPrefix(value, "="):
		return "== after the path is read as a test for existence, true for any value"
	case value == "" || value != strings.TrimSpace(value):
		return "the value is empty or has space around it"
	case strings.Contains(value, "="):
		return "a value cannot contain ="
	case strings.HasPrefix(value, "{"):
		return "the value is a literal, not another path"
	case strings.ContainsAny(value[:1], `'"`):
		return "quotes would be part of the value"
	case strings.Contains(path, "[*]") || strings.Contains(path, ".*") || strings.Contains(path, ".."):
		return "of several values only the first is compared: select one with a filter"
	}
	return ""
}

// balanced reports whether brackets, parentheses and quotes in a path match.
func balanced(path string) bool {
	var open []rune
	var quote rune
	for _, c := range path {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '[':
			open = append(open, ']')
		case c == '(':
			open = append(open, ')')
		case c == ']' || c == ')':
			if len(open) == 0 || open[len(open)-1] != c {
				return false
			}
			open = open[:len(open)-1]
		}
	}
	return quote == 0 && len(open) == 0
}

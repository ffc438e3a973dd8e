package waitfor

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/theory/jsonpath"
)

// ErrRefused is wrapped in the error about each refused expression.
var ErrRefused = errors.New("waitFor expression refused")

func refuse(part, why string) error { return fmt.Errorf("%w: %q: %s", ErrRefused, part, why) }

// conditionType is the form of a condition's type (metav1.Condition).
var conditionType = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_./-]*[A-Za-z0-9])?$`)

// braces matches a path as the provider does: up to the first }, even inside quotes
// (pulumi-kubernetes/provider/pkg/jsonpath at 4.32.0).
var braces = regexp.MustCompile(`^\{\s*(.*?)\s*\}`)

// Check reports whether the provider can read one part of an annotation in the intended way. The
// error wraps ErrRefused and says why not.
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
	wrapped := braces.FindStringSubmatch(raw)
	if wrapped == nil || wrapped[1] == "" {
		return refuse(part, "the path is not wrapped in { }")
	}
	path, rest := wrapped[1], raw[len(wrapped[0]):]
	if _, err := jsonpath.Parse("$" + strings.TrimPrefix(path, "$")); err != nil {
		return refuse(part, "the path is not of RFC 9535: "+err.Error())
	}
	if strings.Contains(strings.ReplaceAll(path, "==", ""), "=") {
		return refuse(part, "the provider splits at =: inside a path only == can be used, not != >= or <=")
	}
	if rest == "" {
		return nil
	}
	if why := checkValue(path, rest); why != "" {
		return refuse(part, why)
	}
	return nil
}

// checkValue returns the mistake in the text after the path; empty if there is none.
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
	case strings.Contains(path, "[*]") || strings.Contains(path, ".*") ||
		strings.Contains(path, ".."):
		return "of several values only the first is compared: select one with a filter"
	}
	return ""
}

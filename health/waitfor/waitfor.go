package waitfor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The annotations that the provider reads.
const (
	// Annotation holds the expression.
	Annotation = "pulumi.com/waitFor"
	// TimeoutAnnotation limits the wait, in whole seconds. The provider's default is ten minutes.
	TimeoutAnnotation = "pulumi.com/timeoutSeconds"
)

// Expression is a list of conditions for which the provider waits. All must be true for the same
// version of the object.
type Expression struct {
	parts []string
}

// Condition waits until .status.conditions has the type with status True. If the condition has an
// observedGeneration, the provider compares it with the object's generation.
func Condition(conditionType string) Expression {
	return must("condition=" + conditionType)
}

// ConditionOn waits for a condition below the first value that path selects, for example one parent
// of a route:
//
//	ConditionOn(`{.status.parents[?@.controllerName=="traefik.io/gateway-controller"]}`, "Accepted")
//
// The provider does not compare generations below .status: on an update, an older condition can
// satisfy the expression.
func ConditionOn(path, conditionType string) Expression {
	inner, closed := strings.CutSuffix(path, "}")
	if !closed {
		panic(refuse(path, "the path is not wrapped in { }"))
	}
	must("condition=" + conditionType) // panics if the type is invalid
	return must(fmt.Sprintf(`jsonpath=%s.conditions[?@.type==%q].status}=True`, inner,
		conditionType))
}

// Exists waits until path selects any value. An empty list, an empty string and 0 count.
func Exists(path string) Expression {
	return must("jsonpath=" + path)
}

// Equals waits until the first value that path selects, printed as text such as true, 3 or Running,
// equals value.
func Equals(path, value string) Expression {
	return must("jsonpath=" + path + "=" + value)
}

// Combine waits until all expressions are true at the same time. It panics without an expression.
func Combine(expressions ...Expression) Expression {
	var all Expression
	for _, expression := range expressions {
		all = all.and(expression)
	}
	if len(all.parts) == 0 {
		panic(refuse("", "at least one expression is needed"))
	}
	return all
}

func (e Expression) and(other Expression) Expression {
	return Expression{parts: append(append([]string{}, e.parts...), other.parts...)}
}

// String returns the annotation's value. A list is written as JSON, without escapes for < > &.
func (e Expression) String() string {
	if len(e.parts) == 1 {
		return e.parts[0]
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(e.parts); err != nil {
		panic(err) // strings always encode
	}
	return strings.TrimSpace(text.String())
}

// Annotations returns the expression and its time limit, which the provider counts in whole
// seconds. It panics if the limit is below one second.
func (e Expression) Annotations(limit time.Duration) map[string]string {
	seconds := int(limit / time.Second)
	if seconds < 1 || len(e.parts) == 0 {
		panic(refuse(e.String(), fmt.Sprintf("a limit of %s is not a positive number of seconds",
			limit)))
	}
	return map[string]string{Annotation: e.String(), TimeoutAnnotation: strconv.Itoa(seconds)}
}

// must returns an Expression of one part. Expressions are constants of the program, so a bad one is
// a programming error and panics at the start, like regexp.MustCompile.
func must(part string) Expression {
	if err := Check(part); err != nil {
		panic(err)
	}
	return Expression{parts: []string{part}}
}

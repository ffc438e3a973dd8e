package waitfor_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health/waitfor"
)

func TestExpressionsHaveProviderSyntax(t *testing.T) {
	accepted := waitfor.ConditionOn(`{.status.parents[?@.controllerName=="traefik.io/gateway-controller"]}`, "Accepted")
	for _, c := range []struct {
		name string
		have waitfor.Expression
		want string
	}{
		{"a condition", waitfor.Condition("Established"), "condition=Established"},
		{"a field that exists", waitfor.Exists("{.status.availableIPv4}"),
			"jsonpath={.status.availableIPv4}"},
		{"a field's value", waitfor.Equals("{.status.result}", "Valid"),
			"jsonpath={.status.result}=Valid"},
		{"a condition below a filter", accepted,
			`jsonpath={.status.parents[?@.controllerName=="traefik.io/gateway-controller"].conditions[?@.type=="Accepted"].status}=True`},
		{
			"several at once", waitfor.Combine(waitfor.Equals("{.status.sync.status}", "Synced"),
				waitfor.Condition("Ready")),
			`["jsonpath={.status.sync.status}=Synced","condition=Ready"]`,
		},
		{"several with comparison signs",
			waitfor.Combine(waitfor.Exists("{.status.list[?@ > 3 && @ < 5]}"),
				waitfor.Condition("Ready")),
			`["jsonpath={.status.list[?@ > 3 && @ < 5]}","condition=Ready"]`},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, c.have.String()) })
	}
}

func TestTimeLimitIsInWholeSeconds(t *testing.T) {
	have := waitfor.Condition("Ready").Annotations(2 * time.Minute)
	assert.Equal(t, map[string]string{waitfor.Annotation: "condition=Ready",
		waitfor.TimeoutAnnotation: "120"}, have)
	assert.Equal(t, "1", waitfor.Condition("Ready").Annotations(
		time.Second)[waitfor.TimeoutAnnotation])
	assert.Panics(t, func() { waitfor.Condition("Ready").Annotations(900 * time.Millisecond) })
	assert.Panics(t, func() { waitfor.Expression{}.Annotations(time.Minute) })
}

func TestExpressionThatProviderMisreadsIsRefused(t *testing.T) {
	for _, c := range []struct {
		name, part, why string
	}{
		{"== after the braces is true for any value", "jsonpath={.status.phase}==Running",
			"existence"},
		{"a value with =", "jsonpath={.status.x}=a=b", "cannot contain ="},
		{"!= in the path", `jsonpath={.status.conditions[?(@.type!='Ready')].status}=True`,
			"splits at ="},
		{">= in the path", "jsonpath={.status.list[?@ >= 3]}", "splits at ="},
		{"<= in the path", "jsonpath={.status.list[?@ <= 3]}", "splits at ="},
		{"a brace in quotes", `jsonpath={.metadata.annotations['a}b']}`, "RFC 9535"},
		{"=== in the path", "jsonpath={.status.list[?@ === 3]}", "RFC 9535"},
		{"a lone = in the path", "jsonpath={.status.list[?@ = 3]}", "RFC 9535"},
		{"shell quotes", "jsonpath='{.status.phase}'=Running", "shell quotes"},
		{"double shell quotes", `jsonpath="{.status.phase}"=Running`, "shell quotes"},
		{"quotes around the value", `jsonpath={.status.phase}="Running"`, "part of the value"},
		{"[*] compared", "jsonpath={.status.conditions[*].status}=True", "only the first"},
		{".* compared", "jsonpath={.status.*}=True", "only the first"},
		{".. compared", "jsonpath={.status..phase}=True", "only the first"},
		{"a backslash", `jsonpath={.metadata.annotations.a\.b/c}`, "RFC 9535"},
		{"no braces", "jsonpath=.status.phase=Running", "wrapped in { }"},
		{"no closing brace", "jsonpath={.status.phase=Running", "wrapped in { }"},
		{"braces in braces", "jsonpath={{.status.phase}}", "RFC 9535"},
		{"an empty path", "jsonpath={}", "wrapped in"},
		{"a path without a dot", "jsonpath={status.phase}", "RFC 9535"},
		{"[]", "jsonpath={.status.conditions[].status}", "RFC 9535"},
		{"an open bracket", "jsonpath={.status.conditions[0}", "RFC 9535"},
		{"a bracket too many", "jsonpath={.status.conditions]0[}", "RFC 9535"},
		{"mixed brackets", "jsonpath={.status.conditions[?(@.type==1])}", "RFC 9535"},
		{"an open quote", `jsonpath={.status['a]}`, "RFC 9535"},
		{"an empty value", "jsonpath={.status.phase}=", "empty"},
		{"space before the value", "jsonpath={.status.phase}= Running", "space"},
		{"text after the path", "jsonpath={.status.phase}Running", "nothing or =value"},
		{"another path as the value", "jsonpath={.status.a}={.status.b}", "literal"},
		{"no prefix", "{.status.phase}=Running", "begins with"},
		{"nothing", "", "begins with"},
		{"an empty condition", "condition=", "type of a condition"},
		{"a condition with ==", "condition==Ready", "type of a condition"},
		{"a condition with a status", "condition=Ready=False", "type of a condition"},
		{"a condition with space", "condition=Ready ", "type of a condition"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := waitfor.Check(c.part)
			require.ErrorIs(t, err, waitfor.ErrRefused)
			assert.ErrorContains(t, err, c.why)
		})
	}
}

func TestCheckAcceptsQuotedBracketInJSONPath(t *testing.T) {
	for _, path := range []string{`{.metadata.annotations['a]b']}`, `{.metadata.annotations["a]b"]}`} {
		assert.NoError(t, waitfor.Check("jsonpath="+path), path)
	}
}

func TestBuildersPanicOnInvalidExpressions(t *testing.T) {
	assert.Panics(t, func() { waitfor.Combine() }, "an empty list")
	assert.Panics(t, func() { waitfor.Combine(waitfor.Expression{}) }, "an empty expression")
	assert.Panics(t, func() { waitfor.Condition("Ready=True") })
	assert.Panics(t, func() { waitfor.Exists(".status.phase") })
	assert.Panics(t, func() { waitfor.Equals("{.status.phase}", "=Running") })
	assert.Panics(t, func() { waitfor.ConditionOn(".status.parents[0]", "Accepted") })
	assert.Panics(t, func() { waitfor.ConditionOn("{.status.parents[0]}", `Acc"epted`) })
}

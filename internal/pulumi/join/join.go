// Package join combines several outputs into one typed output.
//
// It calls pulumi.All, with the casts in one place. pulumix.Apply2 and its like are typed as well.
// But if an input is secret and an earlier input is unknown, their output is not secret. They also
// accept no output whose type Pulumi does not know.
package join

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"
)

// Two returns the result of f as an output. The output is secret if an input is secret, and unknown
// as long as an input is unknown.
func Two[A, B, T any](a, b any, f func(A, B) T) pulumix.Output[T] {
	return cast[T](pulumi.All(a, b).ApplyT(
		func(known []any) any { return f(known[0].(A), known[1].(B)) }))
}

// Three does the same as Two for three inputs.
func Three[A, B, C, T any](a, b, c any, f func(A, B, C) T) pulumix.Output[T] {
	return cast[T](pulumi.All(a, b, c).ApplyT(func(known []any) any {
		return f(known[0].(A), known[1].(B), known[2].(C))
	}))
}

// Four does the same as Two for four inputs.
func Four[A, B, C, D, T any](a, b, c, d any, f func(A, B, C, D) T) pulumix.Output[T] {
	return cast[T](pulumi.All(a, b, c, d).ApplyT(func(known []any) any {
		return f(known[0].(A), known[1].(B), known[2].(C), known[3].(D))
	}))
}

// cast returns an output of type any as an output of its value's type.
func cast[T any](output pulumi.Output) pulumix.Output[T] {
	return pulumix.Apply(pulumix.MustConvertTyped[any](output),
		func(value any) T { return value.(T) })
}

package conflict_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/retry"

	"strata/internal/kube/conflict"
)

func TestChangeIsRetriedOnlyOnConflict(t *testing.T) {
	met := apierrors.NewConflict(schema.GroupResource{Resource: "httproutes"}, "shop", nil)
	ended := fmt.Errorf("patch: %w", context.DeadlineExceeded)
	for name, test := range map[string]struct {
		answers []error
		want    error
	}{
		"success":                    {answers: []error{nil}},
		"success after a conflict":   {answers: []error{met, nil}},
		"a timeout":                  {answers: []error{ended}, want: context.DeadlineExceeded},
		"a timeout after a conflict": {answers: []error{met, ended}, want: context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			tries := 0
			err := conflict.Retry(retry.DefaultRetry, func() error {
				tries++
				return test.answers[tries-1]
			})
			require.ErrorIs(t, err, test.want)
			require.Len(t, test.answers, tries)
		})
	}
	always := conflict.Retry(retry.DefaultRetry, func() error { return met })
	require.True(t, apierrors.IsConflict(always))
}

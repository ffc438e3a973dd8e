package apiserver_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/retry"

	"strata/internal/apiserver"
)

func TestAChangeIsTriedAgainOnlyOnAConflict(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "httproutes"}, "shop", nil)
	ended := fmt.Errorf("patch: %w", context.DeadlineExceeded)
	for name, test := range map[string]struct {
		answers []error
		want    error
	}{
		"made":                      {answers: []error{nil}},
		"made after a conflict":     {answers: []error{conflict, nil}},
		"broken off":                {answers: []error{ended}, want: context.DeadlineExceeded},
		"broken off after conflict": {answers: []error{conflict, ended}, want: context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			tries := 0
			err := apiserver.OnConflict(retry.DefaultRetry, func() error {
				tries++
				return test.answers[tries-1]
			})
			require.ErrorIs(t, err, test.want)
			require.Len(t, test.answers, tries)
		})
	}
	always := apiserver.OnConflict(retry.DefaultRetry, func() error { return conflict })
	require.True(t, apierrors.IsConflict(always))
}

// Package dns stands in for cert-manager's solvers of DNS01 challenges, of which the lab has none: the SDKs of eight providers of DNS are
// a third of what cert-manager takes to compile.
package dns

import (
	"context"
	"errors"

	cmacme "github.com/cert-manager/cert-manager/pkg/apis/acme/v1"
	cmapi "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/cert-manager/cert-manager/pkg/controller"
)

var errNone = errors.New("the lab's cert-manager solves no DNS01 challenges")

// Solver solves nothing.
type Solver struct{}

// NewSolver returns one: the controller makes it before there is a challenge.
func NewSolver(*controller.Context) (*Solver, error) { return &Solver{}, nil }

// Present refuses.
func (*Solver) Present(context.Context, cmapi.GenericIssuer, *cmacme.Challenge) error { return errNone }

// Check refuses.
func (*Solver) Check(context.Context, cmapi.GenericIssuer, *cmacme.Challenge) error { return errNone }

// CleanUp refuses.
func (*Solver) CleanUp(context.Context, *cmacme.Challenge) error { return errNone }

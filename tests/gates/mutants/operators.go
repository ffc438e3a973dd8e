package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// orders has each comparison with a boundary: its function in package choice, the comparison with
// the other boundary, and the opposite.
var orders = map[token.Token]struct {
	call                string
	neighbour, opposite token.Token
}{
	token.LSS: {"Less", token.LEQ, token.GEQ}, token.LEQ: {"LessEqual", token.LSS, token.GTR},
	token.GTR: {"Greater", token.GEQ, token.LEQ}, token.GEQ: {"GreaterEqual", token.GTR, token.LSS},
}

// states has the other outcomes that replace each outcome.
var states = map[string][]string{
	"Ready": {"Waiting"}, "Waiting": {"Ready", "Stuck"}, "Stuck": {"Waiting"},
	"Skipped": {"Waiting"},
}

// visit inserts choices around a node. ast.Inspect calls it from the outside to the inside.
func (i *instrumenter) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok != token.CONST
	case *ast.IfStmt:
		i.condition(n.Cond)
	case *ast.ForStmt:
		i.condition(n.Cond)
	case *ast.SwitchStmt:
		i.cases(n)
		return false
	case *ast.BranchStmt:
		if n.Tok == token.CONTINUE {
			i.replace(n.Pos(), n.Pos(),
				fmt.Sprintf("if %s.Keep(%d) { ", choices, i.add(n.Pos(), "continue → (left out)")))
			i.replace(n.End(), n.End(), " }")
		}
		return false
	case *ast.KeyValueExpr:
		ast.Inspect(n.Value, i.visit)
		return false
	case *ast.BinaryExpr:
		i.binary(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			i.wrap(n, fmt.Sprintf("Not(%d, ", i.add(n.Pos(), "! → (left out)")), ")")
		}
	case *ast.SelectorExpr:
		if of, ok := n.X.(*ast.Ident); ok && of.Name == "health" {
			i.state(n, n.Sel.Name, "health.")
			return false
		}
		ast.Inspect(n.X, i.visit)
		return false
	case *ast.Ident:
		i.name(n)
	}
	return true
}

// cases inserts choices into the conditions of a switch without a tag. The cases of a switch with a
// tag are values, not conditions.
func (i *instrumenter) cases(s *ast.SwitchStmt) {
	if s.Init != nil {
		ast.Inspect(s.Init, i.visit)
	}
	if s.Tag != nil {
		ast.Inspect(s.Tag, i.visit)
	}
	for _, clause := range s.Body.List {
		clause := clause.(*ast.CaseClause)
		if s.Tag == nil {
			for _, one := range clause.List {
				i.condition(one)
				ast.Inspect(one, i.visit)
			}
		}
		for _, one := range clause.Body {
			ast.Inspect(one, i.visit)
		}
	}
}

// condition inserts a negation of a condition that has no operator of its own.
func (i *instrumenter) condition(e ast.Expr) {
	switch e.(type) {
	case nil, *ast.BinaryExpr, *ast.UnaryExpr:
	default:
		i.wrap(e, fmt.Sprintf("Not(%d, ", i.add(e.Pos(), "condition → its opposite")), ")")
	}
}

func (i *instrumenter) binary(e *ast.BinaryExpr) {
	turned := func(to token.Token) string { return e.Op.String() + " → " + to.String() }
	operator := func(text string) {
		i.replace(e.OpPos,
			e.OpPos+token.Pos(len(e.Op.String())), text)
	}
	switch e.Op {
	case token.EQL:
		i.wrap(e, fmt.Sprintf("Not(%d, ", i.add(e.OpPos, turned(token.NEQ))), ")")
	case token.NEQ:
		i.wrap(e, fmt.Sprintf("Not(%d, ", i.add(e.OpPos, turned(token.EQL))), ")")
	case token.LAND:
		i.wrap(e, fmt.Sprintf("And(%d, ", i.add(e.OpPos, turned(token.LOR))), ") })")
		operator(", func() bool { return (")
	case token.LOR:
		i.wrap(e, fmt.Sprintf("Or(%d, ", i.add(e.OpPos, turned(token.LAND))), ") })")
		operator(", func() bool { return (")
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		order := orders[e.Op]
		i.wrap(e, fmt.Sprintf("%s(%d, ", order.call,
			i.add(e.OpPos, turned(order.neighbour), turned(order.opposite))),
			")")
		operator(",")
	default: // It makes no decision.
	}
}

// name inserts a choice for an outcome, or for true or false.
func (i *instrumenter) name(e *ast.Ident) {
	switch e.Name {
	case "true":
		i.wrap(e, fmt.Sprintf("Not(%d, ", i.add(e.Pos(), "true → false")), ")")
	case "false":
		i.wrap(e, fmt.Sprintf("Not(%d, ", i.add(e.Pos(), "false → true")), ")")
	default:
		i.state(e, e.Name, "")
	}
}

// state inserts a choice for an outcome. prefix is the package's name in the file, with a dot.
func (i *instrumenter) state(e ast.Expr, name, prefix string) {
	others := states[name]
	if len(others) == 0 {
		return
	}
	changes := make([]string, len(others))
	for n, other := range others {
		changes[n] = name + " → " + other
	}
	i.wrap(e, fmt.Sprintf("State(%d, ", i.add(e.Pos(), changes...)),
		", "+prefix+strings.Join(others, ", "+prefix)+")")
}

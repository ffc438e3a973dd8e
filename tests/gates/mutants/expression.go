package main

import (
	"go/ast"
	"go/token"
)

// turns are the changes of each operator: its opposite and, where there is one, its neighbour.
var turns = map[token.Token][]token.Token{
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
}

// states are the changes of each outcome.
var states = map[string][]string{
	"Ready": {"Waiting"}, "Waiting": {"Ready", "Stuck"}, "Stuck": {"Waiting"}, "Skipped": {"Waiting"},
}

// expression puts choices into an expression, innermost first.
func (c *changer) expression(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return c.binary(e)
	case *ast.UnaryExpr:
		e.X = c.expression(e.X)
		if e.Op == token.NOT {
			return c.choose(e.Pos(), "bool", e, e.X, "! → (left out)")
		}
	case *ast.ParenExpr:
		e.X = c.expression(e.X)
	case *ast.CallExpr:
		c.expressions(e.Args)
	case *ast.CompositeLit:
		c.elements(e)
	case *ast.FuncLit:
		c.block(e.Body)
	case *ast.Ident:
		return c.name(e)
	}
	return e
}

func (c *changer) elements(literal *ast.CompositeLit) {
	for i := range literal.Elts {
		if pair, ok := literal.Elts[i].(*ast.KeyValueExpr); ok {
			pair.Value = c.expression(pair.Value)
		} else {
			literal.Elts[i] = c.expression(literal.Elts[i])
		}
	}
}

func (c *changer) binary(e *ast.BinaryExpr) ast.Expr {
	changes := turns[e.Op]
	if len(changes) == 0 {
		return e
	}
	e.X, e.Y = c.expression(e.X), c.expression(e.Y)
	var result ast.Expr = e
	for _, turned := range changes {
		other := &ast.BinaryExpr{X: e.X, Op: turned, Y: e.Y}
		result = c.choose(e.OpPos, "bool", result, other, e.Op.String()+" → "+turned.String())
	}
	return result
}

// name changes an outcome or a truth value.
func (c *changer) name(e *ast.Ident) ast.Expr {
	switch e.Name {
	case "true":
		return c.choose(e.Pos(), "bool", e, ast.NewIdent("false"), "true → false")
	case "false":
		return c.choose(e.Pos(), "bool", e, ast.NewIdent("true"), "false → true")
	}
	var result ast.Expr = e
	for _, other := range states[e.Name] {
		result = c.choose(e.Pos(), "State", result, ast.NewIdent(other), e.Name+" → "+other)
	}
	return result
}

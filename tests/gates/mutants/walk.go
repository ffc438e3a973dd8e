package main

import (
	"go/ast"
	"go/token"
	"strconv"
)

// block puts choices into every statement of a block.
func (c *changer) block(block *ast.BlockStmt) {
	for i := range block.List {
		block.List[i] = c.statement(block.List[i])
	}
}

func (c *changer) statements(list []ast.Stmt) {
	for i := range list {
		list[i] = c.statement(list[i])
	}
}

func (c *changer) statement(s ast.Stmt) ast.Stmt {
	switch s := s.(type) {
	case *ast.IfStmt:
		if s.Init != nil {
			s.Init = c.statement(s.Init)
		}
		s.Cond = c.condition(s.Cond)
		c.block(s.Body)
		if s.Else != nil {
			s.Else = c.statement(s.Else)
		}
	case *ast.BlockStmt:
		c.block(s)
	case *ast.ForStmt:
		if s.Cond != nil {
			s.Cond = c.expression(s.Cond)
		}
		c.block(s.Body)
	case *ast.RangeStmt:
		c.block(s.Body)
	case *ast.SwitchStmt:
		c.cases(s)
	case *ast.ReturnStmt:
		c.expressions(s.Results)
	case *ast.AssignStmt:
		c.expressions(s.Rhs)
	case *ast.ExprStmt:
		s.X = c.expression(s.X)
	case *ast.BranchStmt:
		return c.branch(s)
	case *ast.TypeSwitchStmt:
		c.block(s.Body)
	case *ast.CaseClause:
		c.statements(s.Body)
	}
	return s
}

// cases changes the conditions of a switch without a tag; the values of one with a tag are names, not judgements.
func (c *changer) cases(s *ast.SwitchStmt) {
	for _, clause := range s.Body.List {
		clause := clause.(*ast.CaseClause)
		if s.Tag == nil {
			for i := range clause.List {
				clause.List[i] = c.condition(clause.List[i])
			}
		}
		c.statements(clause.Body)
	}
}

// branch leaves a continue out.
func (c *changer) branch(s *ast.BranchStmt) ast.Stmt {
	if s.Tok != token.CONTINUE || s.Label != nil {
		return s
	}
	id := c.add(s.Pos(), "continue → (left out)")
	kept := &ast.CallExpr{Fun: ast.NewIdent("mutantKeeps"), Args: []ast.Expr{number(id)}}
	return &ast.IfStmt{Cond: kept, Body: &ast.BlockStmt{List: []ast.Stmt{s}}}
}

func (c *changer) expressions(list []ast.Expr) {
	for i := range list {
		list[i] = c.expression(list[i])
	}
}

// condition changes an expression whose value is a decision: beyond what is in it, as a whole.
func (c *changer) condition(e ast.Expr) ast.Expr {
	inner := c.expression(e)
	switch e.(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr:
		return inner
	}
	return c.choose(e.Pos(), "bool", inner, &ast.UnaryExpr{Op: token.NOT, X: &ast.ParenExpr{X: inner}}, "condition → its opposite")
}

func number(n int) ast.Expr { return &ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(n)} }

// choose is the expression that evaluates to original, or to changed where this mutant is the one that runs.
func (c *changer) choose(at token.Pos, kind string, original, changed ast.Expr, change string) ast.Expr {
	id := c.add(at, change)
	later := func(e ast.Expr) ast.Expr {
		result := &ast.FieldList{List: []*ast.Field{{Type: ast.NewIdent(kind)}}}
		return &ast.FuncLit{
			Type: &ast.FuncType{Params: &ast.FieldList{}, Results: result},
			Body: &ast.BlockStmt{List: []ast.Stmt{&ast.ReturnStmt{Results: []ast.Expr{e}}}},
		}
	}
	return &ast.CallExpr{Fun: ast.NewIdent("mutantPick"), Args: []ast.Expr{number(id), later(original), later(changed)}}
}

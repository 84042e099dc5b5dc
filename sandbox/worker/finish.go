package worker

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/unistring"
)

// scriptHints are what the text alone tells about a run that comes to nothing.
type scriptHints struct {
	dropsLast     bool // the last statement is an expression whose value goes nowhere
	onlyDecls     bool // nothing but function declarations
	returnsMember bool // the last statement returns a member of something
}

// finish completes the wrapper's body: a script that is one function nobody calls, or that starts its own main
// function without waiting for it, is called and waited for, since its calls would be lost otherwise.
func finish(wrapper *ast.FunctionLiteral) (hints scriptHints) {
	body := wrapper.Body
	if n := len(body.List); n > 0 {
		if last, ok := body.List[n-1].(*ast.ExpressionStatement); ok {
			switch e := last.Expression.(type) {
			case *ast.ArrowFunctionLiteral, *ast.FunctionLiteral:
				if n == 1 && callableWithTools(e) {
					body.List[0] = returnOf(last, callOf(e))
				}
			default:
				if startsOwnFunction(body, e) {
					body.List[n-1] = returnOf(last, e)
				} else {
					hints.dropsLast = dropsValue(e)
				}
			}
		}
		if last, ok := body.List[n-1].(*ast.ReturnStatement); ok {
			hints.returnsMember = isMember(last.Argument)
		}
		hints.onlyDecls = onlyDeclares(body)
	}
	return hints
}

func returnOf(s ast.Statement, e ast.Expression) *ast.ReturnStatement {
	return &ast.ReturnStatement{Return: s.Idx0(), Argument: e}
}

// callOf calls a function with the tools object, which is what the only parameter of such a script means.
func callOf(f ast.Expression) ast.Expression {
	return &ast.CallExpression{
		Callee:           f,
		LeftParenthesis:  f.Idx0(),
		RightParenthesis: f.Idx0(),
		ArgumentList:     []ast.Expression{&ast.Identifier{Name: "tools", Idx: f.Idx0()}},
	}
}

// callableWithTools says whether the function has no parameter, or one that is named like the tools object.
func callableWithTools(f ast.Expression) bool {
	var list *ast.ParameterList
	switch f := f.(type) {
	case *ast.ArrowFunctionLiteral:
		list = f.ParameterList
	case *ast.FunctionLiteral:
		list = f.ParameterList
	}
	if list == nil || len(list.List) == 0 {
		return true
	}
	id, ok := list.List[0].Target.(*ast.Identifier)
	return ok && id.Name == "tools" && len(list.List) == 1
}

// startsOwnFunction says whether e calls a function literal or a function the script declares at its top level,
// perhaps with .then, .catch or .finally behind it.
func startsOwnFunction(body *ast.BlockStatement, e ast.Expression) bool {
	call, ok := e.(*ast.CallExpression)
	if !ok {
		return false
	}
	switch callee := call.Callee.(type) {
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
		return true
	case *ast.Identifier:
		return declares(body, callee.Name)
	case *ast.DotExpression:
		switch callee.Identifier.Name {
		case "then", "catch", "finally":
			return startsOwnFunction(body, callee.Left)
		}
	}
	return false
}

// declares says whether name is an async function of the script's top level.
func declares(body *ast.BlockStatement, name unistring.String) bool {
	async := func(e ast.Expression) bool {
		switch f := e.(type) {
		case *ast.ArrowFunctionLiteral:
			return f.Async
		case *ast.FunctionLiteral:
			return f.Async
		}
		return false
	}
	for _, s := range body.List {
		switch s := s.(type) {
		case *ast.FunctionDeclaration:
			if s.Function.Name.Name == name && s.Function.Async {
				return true
			}
		case *ast.LexicalDeclaration:
			for _, b := range s.List {
				if id, ok := b.Target.(*ast.Identifier); ok && id.Name == name && async(b.Initializer) {
					return true
				}
			}
		}
	}
	return false
}

// dropsValue says whether an expression statement computes something for nobody: a name, a literal, an operation.
func dropsValue(e ast.Expression) bool {
	switch e := e.(type) {
	case *ast.AssignExpression, *ast.CallExpression, *ast.UnaryExpression, *ast.AwaitExpression,
		*ast.YieldExpression, *ast.NewExpression:
		return false
	case *ast.StringLiteral:
		return e.Value != "use strict"
	}
	return true
}

func isMember(e ast.Expression) bool {
	switch e.(type) {
	case *ast.DotExpression, *ast.BracketExpression, *ast.OptionalChain:
		return true
	}
	return false
}

func onlyDeclares(body *ast.BlockStatement) bool {
	for _, s := range body.List {
		if _, ok := s.(*ast.FunctionDeclaration); !ok {
			return false
		}
	}
	return true
}

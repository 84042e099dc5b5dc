package worker

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// caughtError is a catch clause's variable where the script has a pattern.
const caughtError = unistring.String(" error")

// handler begins the function that p.catch(f) or p.then(x, f) is given as a catch clause begins. One given by name, or with
// a pattern, stays as it is: p need be no promise, and may look at the function itself.
func (r *rewriter) handler(c *ast.CallExpression, method unistring.String) {
	n := map[unistring.String]int{"catch": 1, "then": 2}[method]
	if n == 0 || len(c.ArgumentList) < n {
		return
	}
	switch f := c.ArgumentList[n-1].(type) {
	case *ast.FunctionLiteral:
		if id := firstParameter(f.ParameterList); id != nil {
			prepend(f.Body, look(id))
		}
	case *ast.ArrowFunctionLiteral:
		id := firstParameter(f.ParameterList)
		if id == nil {
			return
		}
		switch body := f.Body.(type) {
		case *ast.BlockStatement:
			prepend(body, look(id))
		case *ast.ExpressionBody:
			body.Expression = &ast.SequenceExpression{Sequence: []ast.Expression{look(id).Expression, body.Expression}}
		}
	}
}

func firstParameter(p *ast.ParameterList) *ast.Identifier {
	if len(p.List) == 0 {
		return nil
	}
	id, _ := p.List[0].Target.(*ast.Identifier)
	return id
}

// catch begins a catch clause with a look at the error. What the clause takes out of the error is taken out after that,
// in a block round the clause's own, whose names the pattern does not see. An error that the engine finds only where
// both are one block is left to the stripper.
func (r *rewriter) catch(c *ast.CatchStatement) {
	switch parameter := c.Parameter.(type) {
	case *ast.Identifier:
		prepend(c.Body, look(parameter))
	case ast.Pattern:
		r.doubtful = true
		at := parameter.Idx0()
		id := &ast.Identifier{Name: caughtError, Idx: at}
		taken := &ast.LexicalDeclaration{Idx: at, Token: token.LET, List: []*ast.Binding{{Target: parameter, Initializer: id}}}
		c.Body = &ast.BlockStatement{
			LeftBrace: c.Body.LeftBrace, RightBrace: c.Body.RightBrace,
			List: []ast.Statement{look(id), taken, c.Body},
		}
		c.Parameter = id
	}
}

// look has the error in a variable explained, see engine.explainCaught.
func look(id *ast.Identifier) *ast.ExpressionStatement {
	return &ast.ExpressionStatement{Expression: callHelper(helperLook, id.Idx, &ast.Identifier{Name: id.Name, Idx: id.Idx})}
}

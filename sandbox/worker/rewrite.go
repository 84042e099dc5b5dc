package worker

import (
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// A rewriter changes a script's syntax tree where the engine would do something else than the model means:
//
//   - a function that can recurse begins with a check of the call depth, so that endless recursion is a RangeError
//     a script can catch;
//   - import() becomes a call that rejects with a sentence;
//   - tools.name(...) with a name that cannot be a tool's becomes a call that says how tools are found, while
//     reading tools.name stays undefined;
//   - a catch clause, and a function literal given to catch or then, first puts the engine's words for the commonest
//     mistakes into plainer ones;
//   - a regular expression the engine would misread goes through the sandbox's own RegExp;
//   - a comparison of a comparison is refused, see comparison.
type rewriter struct {
	prefix string // names of tools begin with it
	calls  []bool // of each function in hand: whether it makes a call

	bad   string   // why the first thing that is refused is, or empty
	badAt file.Idx // where it stands

	// doubtful says that the tree holds what the stripper has errors or other forms for, so that it must have seen the text.
	doubtful bool
}

// The engine's private helpers have names that no source text can spell, so no script can reach or shadow them.
const (
	helperImport = unistring.String(" import")
	helperEnter  = unistring.String(" enter")
	helperTools  = unistring.String(" tools")
	helperRegExp = unistring.String(" RegExp")
	helperLook   = unistring.String(" look")
)

// helperNames are the parameters of the function round the wrapper, in the order of engine.helpers.
var helperNames = []unistring.String{helperImport, helperEnter, helperTools, helperRegExp, helperLook}

func callHelper(name unistring.String, at file.Idx, args ...ast.Expression) *ast.CallExpression {
	return &ast.CallExpression{
		Callee:          &ast.Identifier{Name: name, Idx: at},
		LeftParenthesis: at, ArgumentList: args, RightParenthesis: at,
	}
}

// function rewrites a function's parameters and body. always asks for the check even if the body makes no call,
// since what a getter or a conversion calls does not show in the text.
func (r *rewriter) function(f *ast.FunctionLiteral, always bool) {
	r.calls = append(r.calls, always)
	r.parameters(f.ParameterList)
	r.list(f.Body.List)
	if r.leave() {
		guard(f.Body, f.Function)
	}
}

func (r *rewriter) arrow(f *ast.ArrowFunctionLiteral, always bool) {
	r.calls = append(r.calls, always)
	r.parameters(f.ParameterList)
	switch body := f.Body.(type) {
	case *ast.BlockStatement:
		r.list(body.List)
		if r.leave() {
			guard(body, f.Start)
		}
	case *ast.ExpressionBody:
		r.expr(&body.Expression)
		if r.leave() {
			at := body.Expression.Idx0()
			block := &ast.BlockStatement{LeftBrace: at, RightBrace: body.Expression.Idx1()}
			block.List = []ast.Statement{&ast.ReturnStatement{Return: at, Argument: body.Expression}}
			guard(block, f.Start)
			f.Body = block
		}
	}
}

// leave ends a function and says whether it makes a call.
func (r *rewriter) leave() bool {
	last := len(r.calls) - 1
	calls := r.calls[last]
	r.calls = r.calls[:last]
	return calls
}

// called notes that the function in hand can call another.
func (r *rewriter) called() {
	if n := len(r.calls); n > 0 {
		r.calls[n-1] = true
	}
}

// guard puts the depth check at the head of a body.
func guard(body *ast.BlockStatement, at file.Idx) {
	prepend(body, &ast.ExpressionStatement{Expression: callHelper(helperEnter, at)})
}

// prepend puts a statement at the head of a body, behind its directives.
func prepend(body *ast.BlockStatement, first ast.Statement) {
	n := 0
	for n < len(body.List) {
		s, ok := body.List[n].(*ast.ExpressionStatement)
		if !ok {
			break
		}
		if _, ok := s.Expression.(*ast.StringLiteral); !ok {
			break
		}
		n++
	}
	list := append([]ast.Statement{}, body.List[:n]...)
	list = append(list, first)
	body.List = append(list, body.List[n:]...)
}

// parameters rewrites defaults too. They run before the body, so those that make a call have the check themselves.
func (r *rewriter) parameters(p *ast.ParameterList) {
	if p == nil {
		return
	}
	for _, b := range p.List {
		r.target(b.Target)
		r.checked(&b.Initializer)
	}
	r.expr(&p.Rest)
}

// checked rewrites an expression that runs outside a function's body, behind the depth check if it makes a call.
func (r *rewriter) checked(slot *ast.Expression) {
	r.calls = append(r.calls, false)
	r.expr(slot)
	if r.leave() {
		at := (*slot).Idx0()
		*slot = &ast.SequenceExpression{Sequence: []ast.Expression{callHelper(helperEnter, at), *slot}}
	}
}

func (r *rewriter) bindings(list []*ast.Binding) {
	for _, b := range list {
		r.binding(b)
	}
}

func (r *rewriter) binding(b *ast.Binding) {
	r.target(b.Target)
	r.expr(&b.Initializer)
	if _, pattern := b.Target.(ast.Pattern); pattern {
		placed(&b.Initializer)
	}
}

// placed gives a constant that a loop or a pattern takes apart a place: the engine notes none for constants, so that an
// error would be said to stand where the script was before.
func placed(slot *ast.Expression) {
	switch e := (*slot).(type) {
	case *ast.NumberLiteral, *ast.BooleanLiteral, *ast.NullLiteral:
	case *ast.UnaryExpression:
		if e.Operator != token.VOID { // the stripper's form of undefined
			return
		}
	default:
		return
	}
	at := (*slot).Idx0()
	*slot = &ast.BracketExpression{
		Left: &ast.ArrayLiteral{LeftBracket: at, Value: []ast.Expression{*slot}, RightBracket: at}, LeftBracket: at,
		Member: &ast.NumberLiteral{Idx: at, Literal: "0", Value: int64(0)}, RightBracket: at,
	}
}

func (r *rewriter) target(t ast.BindingTarget) {
	var e ast.Expression = t
	r.expr(&e)
}

// call rewrites the calls the engine has no right answer for.
func (r *rewriter) call(c *ast.CallExpression, slot *ast.Expression) {
	r.called()
	if spec := dynamicImport(c); spec != nil {
		r.expr(spec)
		*slot = callHelper(helperImport, c.Idx0(), *spec)
		return
	}
	switch callee := c.Callee.(type) {
	case *ast.DotExpression:
		r.toolCallee(&callee.Left, string(callee.Identifier.Name))
		r.handler(c, callee.Identifier.Name)
	case *ast.BracketExpression:
		name := ""
		if s, ok := callee.Member.(*ast.StringLiteral); ok {
			name = string(s.Value)
		}
		r.toolCallee(&callee.Left, name)
		r.handler(c, unistring.NewFromString(name))
	}
	r.expr(&c.Callee)
	r.exprs(c.ArgumentList)
}

// toolCallee puts the teaching view of tools in the place of tools where a member of it is called.
func (r *rewriter) toolCallee(left *ast.Expression, name string) {
	id, ok := (*left).(*ast.Identifier)
	if ok && id.Name == "tools" && (r.prefix == "" || !strings.HasPrefix(name, r.prefix)) {
		*left = callHelper(helperTools, id.Idx, id)
	}
}

// dynamicImport finds the stripper's form of import(x), which is Promise.resolve().then(() => __toESM(require(x)))
// or the same without __toESM, and returns where its x stands; nil for any other call.
func dynamicImport(c *ast.CallExpression) *ast.Expression {
	then, ok := c.Callee.(*ast.DotExpression)
	if !ok || then.Identifier.Name != "then" || len(c.ArgumentList) != 1 {
		return nil
	}
	arrow, ok := c.ArgumentList[0].(*ast.ArrowFunctionLiteral)
	if !ok {
		return nil
	}
	body, ok := arrow.Body.(*ast.ExpressionBody)
	if !ok {
		return nil
	}
	inner, ok := body.Expression.(*ast.CallExpression)
	if ok && calls(inner, "__toESM") && len(inner.ArgumentList) >= 1 {
		inner, ok = inner.ArgumentList[0].(*ast.CallExpression)
	}
	if !ok || !calls(inner, "require") || len(inner.ArgumentList) != 1 || !promiseResolve(then.Left) {
		return nil
	}
	return &inner.ArgumentList[0]
}

// promiseResolve says whether e is Promise.resolve() or Promise.resolve(`${x}`), the stripper's first half.
func promiseResolve(e ast.Expression) bool {
	c, ok := e.(*ast.CallExpression)
	if !ok {
		return false
	}
	dot, ok := c.Callee.(*ast.DotExpression)
	if !ok || dot.Identifier.Name != "resolve" {
		return false
	}
	id, ok := dot.Left.(*ast.Identifier)
	return ok && id.Name == "Promise"
}

func calls(c *ast.CallExpression, name unistring.String) bool {
	id, ok := c.Callee.(*ast.Identifier)
	return ok && id.Name == name
}

// refuse notes the first thing in the script that cannot be run as it is meant: why says so to the model.
func (r *rewriter) refuse(why string, at file.Idx) {
	if r.bad == "" {
		r.bad, r.badAt = why, at
	}
}

// comparison refuses a comparison whose right side is one. The engine reads a < b < c as a < (b < c), and its tree
// does not tell which of the two the script has, so neither can be put right.
func (r *rewriter) comparison(e *ast.BinaryExpression) {
	if right, ok := e.Right.(*ast.BinaryExpression); ok && relational(e.Operator) && relational(right.Operator) {
		r.refuse(textChained, e.Left.Idx0())
	}
}

func relational(op token.Token) bool {
	switch op {
	case token.LESS, token.GREATER, token.LESS_OR_EQUAL, token.GREATER_OR_EQUAL, token.INSTANCEOF, token.IN:
		return true
	}
	return false
}

// regExp sends a literal the engine would misread, or cannot read, through the sandbox's own RegExp.
func (r *rewriter) regExp(e *ast.RegExpLiteral, slot *ast.Expression) {
	if !ownRegExp(e.Pattern, e.Flags) {
		return
	}
	if _, _, err := rewriteRegExp(e.Pattern, e.Flags); err != nil {
		r.refuse(err.Error(), e.Idx)
	}
	*slot = &ast.NewExpression{
		New: e.Idx, Callee: &ast.Identifier{Name: helperRegExp, Idx: e.Idx},
		LeftParenthesis: e.Idx, RightParenthesis: e.Idx,
		ArgumentList: []ast.Expression{
			&ast.StringLiteral{Idx: e.Idx, Value: unistring.NewFromString(e.Pattern)},
			&ast.StringLiteral{Idx: e.Idx, Value: unistring.NewFromString(e.Flags)},
		},
	}
}

// ownRegExp says whether the engine alone would misread the expression: it takes \p{L} for the text "p{L}", knows no
// v flag, takes [:alpha:] in a class for more than it says, and gives the wrong one of two groups of one name.
func ownRegExp(pattern, flags string) bool {
	return strings.Contains(flags, "v") || strings.Contains(pattern, "[:") ||
		strings.Contains(flags, "u") && (strings.Contains(pattern, `\p`) || strings.Contains(pattern, `\P`)) ||
		duplicateName(pattern) != ""
}

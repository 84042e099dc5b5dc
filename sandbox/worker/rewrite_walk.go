package worker

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

func (r *rewriter) list(list []ast.Statement) {
	for _, s := range list {
		r.stmt(s)
	}
}

func (r *rewriter) block(b *ast.BlockStatement) {
	if b != nil {
		r.nested(b.List...)
		r.list(b.List)
	}
}

// nested takes what stands in a block. The stripper moves a function there to the block's head.
func (r *rewriter) nested(list ...ast.Statement) {
	for _, s := range list {
		if _, ok := s.(*ast.FunctionDeclaration); ok {
			r.doubtful = true
		}
	}
}

func (r *rewriter) stmt(s ast.Statement) {
	switch s := s.(type) {
	case nil:
	case *ast.BlockStatement:
		r.block(s)
	case *ast.ExpressionStatement:
		r.expr(&s.Expression)
	case *ast.ReturnStatement:
		r.expr(&s.Argument)
	case *ast.ThrowStatement:
		r.expr(&s.Argument)
	case *ast.IfStatement:
		r.expr(&s.Test)
		r.nested(s.Consequent, s.Alternate)
		r.stmt(s.Consequent)
		r.stmt(s.Alternate)
	case *ast.LabelledStatement:
		r.doubtful = true
		r.stmt(s.Statement)
	case *ast.SwitchStatement:
		r.expr(&s.Discriminant)
		for _, c := range s.Body {
			r.expr(&c.Test)
			r.nested(c.Consequent...)
			r.list(c.Consequent)
		}
	case *ast.TryStatement:
		r.block(s.Body)
		if s.Catch != nil {
			r.target(s.Catch.Parameter)
			r.block(s.Catch.Body)
			r.catch(s.Catch)
		}
		r.block(s.Finally)
	case *ast.WithStatement:
		r.doubtful = true
		r.expr(&s.Object)
		r.stmt(s.Body)
	default:
		r.declaration(s)
	}
}

func (r *rewriter) declaration(s ast.Statement) {
	switch s := s.(type) {
	case *ast.VariableStatement:
		r.bindings(s.List)
	case *ast.LexicalDeclaration:
		r.bindings(s.List)
	case *ast.FunctionDeclaration:
		r.function(s.Function, false)
	case *ast.ClassDeclaration:
		r.class(s.Class)
	default:
		r.loop(s)
	}
}

func (r *rewriter) loop(s ast.Statement) {
	switch s := s.(type) {
	case *ast.DoWhileStatement:
		r.stmt(s.Body)
		r.expr(&s.Test)
	case *ast.WhileStatement:
		r.expr(&s.Test)
		r.stmt(s.Body)
	case *ast.ForInStatement:
		r.into(s.Into)
		r.expr(&s.Source)
		r.stmt(s.Body)
	case *ast.ForOfStatement:
		r.called() // the iterator's methods
		r.into(s.Into)
		r.expr(&s.Source)
		placed(&s.Source)
		r.stmt(s.Body)
	case *ast.ForStatement:
		switch init := s.Initializer.(type) {
		case *ast.ForLoopInitializerExpression:
			r.expr(&init.Expression)
		case *ast.ForLoopInitializerVarDeclList:
			r.bindings(init.List)
		case *ast.ForLoopInitializerLexicalDecl:
			r.bindings(init.LexicalDeclaration.List)
		}
		r.expr(&s.Test)
		r.expr(&s.Update)
		r.stmt(s.Body)
	}
}

func (r *rewriter) into(i ast.ForInto) {
	switch i := i.(type) {
	case *ast.ForIntoVar:
		r.binding(i.Binding)
	case *ast.ForDeclaration:
		r.target(i.Target)
	case *ast.ForIntoExpression:
		r.expr(&i.Expression)
	}
}

func (r *rewriter) class(c *ast.ClassLiteral) {
	r.doubtful = true
	r.expr(&c.SuperClass)
	for _, el := range c.Body {
		switch el := el.(type) {
		case *ast.FieldDefinition:
			r.expr(&el.Key)
			r.checked(&el.Initializer)
		case *ast.MethodDefinition:
			r.expr(&el.Key)
			r.function(el.Body, true)
		case *ast.ClassStaticBlock:
			r.block(el.Block)
		}
	}
}

func (r *rewriter) exprs(list []ast.Expression) {
	for i := range list {
		r.expr(&list[i])
	}
}

// expr rewrites the expression in a slot of the tree, which may be empty.
func (r *rewriter) expr(slot *ast.Expression) {
	switch e := (*slot).(type) {
	case *ast.CallExpression:
		r.call(e, slot)
	case *ast.NewExpression:
		r.called()
		r.expr(&e.Callee)
		r.exprs(e.ArgumentList)
	case *ast.RegExpLiteral:
		r.regExp(e, slot)
	case *ast.FunctionLiteral:
		r.function(e, false)
	case *ast.ArrowFunctionLiteral:
		r.arrow(e, false)
	case *ast.ClassLiteral:
		r.class(e)
	case *ast.TemplateLiteral:
		if e.Tag != nil || len(e.Expressions) > 0 { // an expression may have a toString
			r.called()
			r.expr(&e.Tag)
		}
		r.exprs(e.Expressions)
	case *ast.AssignExpression:
		r.expr(&e.Left)
		r.expr(&e.Right)
		if _, pattern := e.Left.(ast.Pattern); pattern {
			placed(&e.Right)
		}
	case *ast.BinaryExpression:
		if _, await := e.Left.(*ast.AwaitExpression); await && e.Operator == token.EXPONENT {
			r.doubtful = true // an error without brackets
		}
		r.comparison(e)
		r.expr(&e.Left)
		r.expr(&e.Right)
	case *ast.ConditionalExpression:
		r.expr(&e.Test)
		r.expr(&e.Consequent)
		r.expr(&e.Alternate)
	case *ast.SequenceExpression:
		r.exprs(e.Sequence)
	default:
		r.member(*slot)
	}
}

// member goes on with expressions of one operand.
func (r *rewriter) member(e ast.Expression) {
	switch e := e.(type) {
	case *ast.DotExpression:
		r.expr(&e.Left)
	case *ast.PrivateDotExpression:
		r.expr(&e.Left)
	case *ast.BracketExpression:
		r.expr(&e.Left)
		r.expr(&e.Member)
	case *ast.OptionalChain:
		r.expr(&e.Expression)
	case *ast.Optional:
		if n, ok := e.Expression.(*ast.NewExpression); ok && n.RightParenthesis == 0 {
			r.doubtful = true // new a?.b() is an error
		}
		r.expr(&e.Expression)
	case *ast.AwaitExpression:
		r.expr(&e.Argument)
	case *ast.YieldExpression:
		r.called()
		r.expr(&e.Argument)
	case *ast.UnaryExpression:
		r.expr(&e.Operand)
	case *ast.SpreadElement:
		r.called()
		r.expr(&e.Expression)
	default:
		r.literal(e)
	}
}

func (r *rewriter) literal(e ast.Expression) {
	switch e := e.(type) {
	case *ast.Identifier:
		r.doubtful = r.doubtful || e.Name == "await" // in a function that is not async
	case *ast.NumberLiteral:
		r.doubtful = r.doubtful || len(e.Literal) > 1 && e.Literal[0] == '0' && e.Literal[1] >= '0' && e.Literal[1] <= '9'
	case *ast.SuperExpression, *ast.MetaProperty:
		r.doubtful = true
	case *ast.ArrayLiteral:
		r.exprs(e.Value)
	case *ast.ArrayPattern:
		r.exprs(e.Elements)
		r.expr(&e.Rest)
	case *ast.ObjectLiteral:
		r.properties(e.Value)
	case *ast.ObjectPattern:
		r.properties(e.Properties)
		r.expr(&e.Rest)
	case *ast.Binding:
		r.binding(e)
	}
}

func (r *rewriter) properties(list []ast.Property) {
	for _, p := range list {
		switch p := p.(type) {
		case *ast.PropertyShort:
			r.expr(&p.Initializer)
		case *ast.PropertyKeyed:
			r.expr(&p.Key)
			switch f := p.Value.(type) {
			case *ast.FunctionLiteral:
				r.function(f, p.Kind != ast.PropertyKindValue || hook(p.Key))
			case *ast.ArrowFunctionLiteral:
				r.arrow(f, hook(p.Key))
			default:
				r.expr(&p.Value)
			}
		case *ast.SpreadElement:
			r.expr(&p.Expression)
		}
	}
}

// hook says whether a function under this name is called by the engine itself, as a proxy's traps and conversions
// are: it can recurse without a call in its text.
func hook(key ast.Expression) bool {
	s, ok := key.(*ast.StringLiteral)
	if !ok {
		return false
	}
	switch s.Value {
	case "get", "set", "has", "deleteProperty", "ownKeys", "getOwnPropertyDescriptor", "defineProperty",
		"getPrototypeOf", "toString", "valueOf", "toJSON", "then":
		return true
	}
	return false
}

package worker

import (
	"errors"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
	"github.com/evanw/esbuild/pkg/api"

	"github.com/exec-ext/exec-ext/sandbox"
	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// A script is the model's text ready to run: the program evaluates to a function that takes the engine's private
// helpers and gives the async function around the model's text.
type script struct {
	program  *goja.Program
	source   source
	hints    scriptHints
	doubtful bool // see rewriter
}

// scriptName is the file name in positions and stack traces.
const scriptName = "script.ts"

// sourceMapComment makes the engine's parser ask for the way back to the model's text.
const sourceMapComment = "//# sourceMappingURL=" + scriptName + ".map"

// The wrapper stands on the model's first line, so that every line number is the model's own; columns of the
// first line are moved by its length.
const (
	wrapperHead = "(async function(){"
	wrapperTail = "\n})"
)

// compile strips the types, lowers what the engine lacks, checks that the text is one function body and compiles
// it. A failure is a syntax error located in the model's own text.
func compile(text, prefix string) (*script, *wire.FailedHead) {
	src := newSource(text)
	if s := plain(src, prefix); s != nil {
		return s, nil
	}
	js, places, fail := strip(src)
	if inner, ok := src.fenced(); fail != nil && ok {
		if js2, places2, fail2 := strip(inner); fail2 == nil {
			src, js, places, fail = inner, js2, places2, nil
		}
	}
	if fail != nil {
		return nil, fail
	}
	loader := func(string) ([]byte, error) { return places.engine(), nil }
	program, err := parser.ParseFile(nil, scriptName, js, 0, parser.WithSourceMapLoader(loader))
	if err != nil {
		return nil, src.parseFailure(err, places)
	}
	return assemble(src, program, prefix)
}

// assemble makes the script of a parsed text. It changes the tree.
func assemble(src source, program *ast.Program, prefix string) (*script, *wire.FailedHead) {
	body := isolate(program)
	if body == nil {
		return nil, failed(sandbox.KindSyntax, "SyntaxError", textUnbalanced)
	}
	r := rewriter{prefix: prefix}
	s := &script{source: src, hints: finish(body)}
	r.list(program.Body)
	if s.doubtful = r.doubtful; r.bad != "" {
		f := failed(sandbox.KindSyntax, "SyntaxError", r.bad)
		p := program.File.Position(int(r.badAt) - program.File.Base())
		src.locate(f, p.Line, p.Column)
		return nil, f
	}
	var err error
	if s.program, err = goja.CompileAST(program, false); err != nil {
		return nil, src.parseFailure(err, nil)
	}
	return s, nil
}

// lowered is what the stripper rewrites because the engine lacks it.
var lowered = map[string]bool{
	"async-generator": false,
	"for-await":       false,
	"using":           false,
	"dynamic-import":  false,
	"decorators":      false,
	"hashbang":        false,
}

// strip gives JavaScript that goja can parse, with the way back to the model's text. What is no TypeScript may be
// JavaScript all the same: in a ? async (b) : b => 1 the stripper finds the return type of an arrow.
func strip(src source) (js string, places sourceMap, fail *wire.FailedHead) {
	r := transform(src, api.LoaderTS)
	if len(r.Errors) > 0 {
		fail = src.stripFailure(r.Errors[0])
		if r = transform(src, api.LoaderJS); len(r.Errors) > 0 {
			return "", nil, fail
		}
	}
	return string(r.Code) + sourceMapComment, readSourceMap(r.Map), nil
}

func transform(src source, loader api.Loader) api.TransformResult {
	return api.Transform(wrapperHead+src.body+wrapperTail, api.TransformOptions{
		Loader:        loader,
		Target:        api.ES2022,
		Platform:      api.PlatformNeutral,
		Charset:       api.CharsetUTF8,
		TreeShaking:   api.TreeShakingFalse,
		LegalComments: api.LegalCommentsNone,
		Sourcemap:     api.SourceMapExternal,
		// The text itself is at hand; the map need not carry it.
		SourcesContent: api.SourcesContentExclude,
		Sourcefile:     scriptName,
		Supported:      lowered,
		LogLevel:       api.LogLevelSilent,
	})
}

// isolate checks that the program is the wrapper and nothing beside it but the stripper's helpers, and moves these
// into a function of their own, so that they are no properties of the global object. It returns the wrapper, or nil
// if the model's text closes it.
func isolate(program *ast.Program) *ast.FunctionLiteral {
	last := len(program.Body) - 1
	if last < 0 {
		return nil
	}
	for _, s := range program.Body[:last] {
		if _, helper := s.(*ast.VariableStatement); !helper {
			return nil
		}
	}
	st, ok := program.Body[last].(*ast.ExpressionStatement)
	if !ok {
		return nil
	}
	wrapper, ok := st.Expression.(*ast.FunctionLiteral)
	if !ok || !wrapper.Async || wrapper.Generator {
		return nil
	}
	outer := &ast.FunctionLiteral{
		Function:        wrapper.Function,
		ParameterList:   &ast.ParameterList{},
		Body:            &ast.BlockStatement{LeftBrace: wrapper.Function, RightBrace: wrapper.Body.RightBrace},
		DeclarationList: program.DeclarationList,
	}
	for _, name := range helperNames {
		outer.ParameterList.List = append(outer.ParameterList.List, &ast.Binding{
			Target: &ast.Identifier{Name: name, Idx: wrapper.Function},
		})
	}
	outer.Body.List = append(append([]ast.Statement{}, program.Body[:last]...),
		&ast.ReturnStatement{Return: wrapper.Function, Argument: wrapper})
	st.Expression = outer
	program.Body = []ast.Statement{st}
	program.DeclarationList = nil
	return wrapper
}

// stripFailure words the stripper's first error.
func (s source) stripFailure(m api.Message) *wire.FailedHead {
	f := failed(sandbox.KindSyntax, "SyntaxError", m.Text)
	if m.Location != nil {
		s.locateBytes(f, m.Location.Line, m.Location.Column)
	}
	switch {
	case s.closesWrapper(m):
		f.Message = textUnbalanced
	case m.Location != nil && m.Location.Line > len(s.lines):
		f.Message = textEndsEarly // what the message names is the wrapper's, not the model's
	default:
		f.Message = syntaxText(f)
	}
	return f
}

// closesWrapper says whether the stripper's error comes from a bracket that closes the wrapper: then the text is
// sound in a wrapper without brackets round it, up to the wrapper's own last bracket.
func (s source) closesWrapper(m api.Message) bool {
	inside := m.Location != nil && m.Location.Line <= len(s.lines)
	if !strings.HasPrefix(m.Text, `Expected ")" but found`) && !(inside && m.Text == `Unexpected "}"`) {
		return false
	}
	r := api.Transform("async function f(){"+s.body+wrapperTail[:len(wrapperTail)-1], api.TransformOptions{Loader: api.LoaderTS, LogLevel: api.LogLevelSilent})
	return len(r.Errors) == 1 && r.Errors[0].Text == `Unexpected "}"` && r.Errors[0].Location.Line > len(s.lines)
}

// parseFailure words an error of the engine's parser or compiler: what it says passed the stripper, so it is
// JavaScript that this engine does not have.
func (s source) parseFailure(err error, places sourceMap) *wire.FailedHead {
	var (
		list    parser.ErrorList
		one     *parser.Error
		compile *goja.CompilerSyntaxError
		f       = failed(sandbox.KindSyntax, "SyntaxError", err.Error())
	)
	switch {
	case errors.As(err, &list) && len(list) > 0:
		one = list[0]
	case errors.As(err, &one):
	case errors.As(err, &compile):
		f.Message = strings.TrimPrefix(compile.Message, "SyntaxError: ")
		if compile.File != nil {
			p := compile.File.Position(compile.Offset)
			s.locate(f, p.Line, p.Column)
		}
	}
	if one != nil {
		f.Message = one.Message
		line, column := places.model(one.Position.Line, one.Position.Column) // no map is attached yet
		s.locate(f, line, column)
	}
	f.Message = syntaxText(f)
	return f
}

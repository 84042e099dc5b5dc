package worker

import (
	"fmt"
	"testing"

	"github.com/dop251/goja"
	"github.com/dop251/goja_nodejs/eventloop"
	"github.com/dop251/goja_nodejs/require"
	nodeurl "github.com/dop251/goja_nodejs/url"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// goja_nodejs brings a URL, an event loop and a console for goja. Its objects are Go values that a script can reach
// and its loop brings require and timers, so none of it may stand in a sandbox; here it is the measure beside us.

// nodeURL evaluates an expression with goja_nodejs's URL.
func nodeURL(t *testing.T, expression string) string {
	t.Helper()
	vm := goja.New()
	new(require.Registry).Enable(vm)
	nodeurl.Enable(vm)
	v, err := vm.RunString("JSON.stringify(" + expression + ")")
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v.String()
}

// Where goja_nodejs's URL is right, ours says the same.
func TestWebGlobals_AgreeWithGojaNodejs(t *testing.T) {
	web := host{start: wire.StartHead{WebGlobals: true}}
	for _, url := range []string{
		"https://example.com/a/b?x=1&y=2#frag", "http://user:pw@example.com:8080/p", "https://example.com:443/p",
		"ftp://example.com/file.txt", "http://127.0.0.1:3000/health?ok", "https://EXAMPLE.com/foo?q=a%20b",
	} {
		expression := fmt.Sprintf(`((u) => [u.href, u.protocol, u.host, u.port, u.pathname, u.search, u.hash, u.username, u.searchParams.get('x')])(new URL(%q))`, url)
		if got, want := web.value(t, "return "+expression), nodeURL(t, expression); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", url, got, want)
		}
	}
}

// Why it does not serve the web's globals itself: what is pinned here goes when the package is mended.
func TestWebGlobals_WhyNotGojaNodejs(t *testing.T) {
	for expression, right := range map[string]string{
		`new URL("../b", "https://a.com/x/y/z").href`:                                                 `"https://a.com/x/b"`,
		`new URL("https://a.com/%7Efoo/").href`:                                                       `"https://a.com/%7Efoo/"`,
		`((u) => { u.searchParams.append("f", "1"); return u.href })(new URL("https://a.b/c?d=1#e"))`: `"https://a.b/c?d=1&f=1#e"`,
	} {
		if got := nodeURL(t, expression); got == right {
			t.Errorf("goja_nodejs is right about %s now: look again whether it can serve the sandbox", expression)
		}
		if got := (host{start: wire.StartHead{WebGlobals: true}}).value(t, "return "+expression); got != right {
			t.Errorf("%s: got %s, want %s", expression, got, right)
		}
	}
}

// BenchmarkNodejsLoop is the peer of BenchmarkNestedCall: one promise settled from another goroutine through
// goja_nodejs's event loop, without the frames and the copies that a nested call has.
func BenchmarkNodejsLoop(b *testing.B) {
	loop := eventloop.NewEventLoop(eventloop.EnableConsole(false))
	loop.Start()
	defer loop.Stop()
	done := make(chan struct{})
	loop.RunOnLoop(func(vm *goja.Runtime) {
		_ = vm.Set("call", func(goja.FunctionCall) goja.Value {
			promise, resolve, _ := vm.NewPromise()
			go loop.RunOnLoop(func(*goja.Runtime) { _ = resolve(1) })
			return vm.ToValue(promise)
		})
		_ = vm.Set("end", func(goja.FunctionCall) goja.Value { close(done); return goja.Undefined() })
		if _, err := vm.RunString(fmt.Sprintf("(async () => { for (let i = 0; i < %d; i++) await call(); end() })()", b.N)); err != nil {
			b.Error(err)
			close(done)
		}
	})
	<-done
}

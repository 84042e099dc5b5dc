package worker

import (
	"testing"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// The web's globals are there when they are configured, and only then.
func TestS3_1_WebGlobals(t *testing.T) {
	names := `['URL', 'URLSearchParams', 'TextEncoder', 'TextDecoder', 'structuredClone', 'atob', 'btoa'].map(n => typeof globalThis[n])`
	if got, want := (host{}).value(t, "return [...new Set("+names+")]"), `["undefined"]`; got != want {
		t.Errorf("bare: got %s, want %s", got, want)
	}
	web := host{start: wire.StartHead{WebGlobals: true}}
	for code, want := range map[string]string{
		"return [...new Set(" + names + ")]": `["function"]`,
		`const u = new URL('../b?x=1&y=a+b#h', 'https://User@Example.com:443/a/c/d'); return [u.href, u.host, u.port, u.searchParams.get('y'), u.hash, u.origin]`:                   `["https://User@example.com/a/b?x=1&y=a+b#h","example.com","","a b","#h","https://example.com"]`,
		`const u = new URL('https://a.b/c?d=1#e'); u.searchParams.append('f', 'ü &'); u.searchParams.set('d', 2); return [u.href, u.search, String(u), JSON.stringify({ u })]`:      `["https://a.b/c?d=2&f=%C3%BC+%26#e","?d=2&f=%C3%BC+%26","https://a.b/c?d=2&f=%C3%BC+%26#e","{\"u\":\"https://a.b/c?d=2&f=%C3%BC+%26#e\"}"]`,
		`const u = new URL('https://a.b/?x=1'); const p = u.searchParams; u.search = '?y=2'; return [p.get('y'), p.has('x'), u.searchParams === p]`:                                 `["2",false,true]`,
		`try { new URL('nope') } catch (e) { return [e.name, e.message, e instanceof TypeError, URL.canParse('x'), URL.parse('http://a') instanceof URL] }`:                         `["TypeError","Invalid URL",true,false,true]`,
		`const p = new URLSearchParams({ a: 1, b: 'x y' }); p.append('a', 2); p.sort(); return [String(p), p.getAll('a'), [...p], p.size, String(new URLSearchParams('?q=%zz&r'))]`: `["a=1&a=2&b=x+y",["1","2"],[["a","1"],["a","2"],["b","x y"]],3,"q=%25zz&r="]`,
		`return [[...new TextEncoder().encode('é😀')], new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 0xc3, 0xa9, 0xff]))]`:                                              `[[195,169,240,159,152,128],"é�"]`,
		`try { new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([0xff])) } catch (e) { return e.name }`:                                                              `"TypeError"`,
		`return [btoa('hi!'), atob('aGkh'), atob(btoa('\xff\x00')).length, btoa('a'), atob('YQ')]`:                                                                                  `["aGkh","hi!",2,"YQ==","a"]`,
		`try { btoa('é😀') } catch (e) { return e.name }`: `"InvalidCharacterError"`,
		`const o = { a: [1, { d: new Date(0) }], m: new Map([['k', new Set([1])]]) }; o.self = o; const c = structuredClone(o); return [c !== o, c.self === c, c.a[1].d.getTime(), c.m.get('k').has(1), c.a[1] !== o.a[1]]`: `[true,true,0,true,true]`,
		`try { structuredClone({ f() {} }) } catch (e) { return e.name }`: `"DataCloneError"`,
	} {
		if got := web.value(t, code); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", code, got, want)
		}
	}
}

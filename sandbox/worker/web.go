package worker

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// addWebGlobals defines what sandbox.webGlobals asks for. goja_nodejs has a URL, but it drops the slash at the end of a
// path and resolves ".." one level too far, and its objects are Go values; so the parts are read here and handed
// over as text.
func (r *realm) addWebGlobals() {
	natives := r.vm.NewObject()
	set := func(name string, f func(goja.FunctionCall) goja.Value) {
		if err := natives.Set(name, r.native(name, f)); err != nil {
			panic("worker: " + err.Error())
		}
	}
	set("kind", r.webKind)
	set("utf8Text", r.utf8Text)
	set("percent", func(c goja.FunctionCall) goja.Value { return r.vm.ToValue(unpercent(c.Argument(0).String())) })
	set("parseURL", func(c goja.FunctionCall) goja.Value {
		var base *webURL
		if b := c.Argument(1); !goja.IsUndefined(b) {
			u, ok := parseURL(b.String(), nil)
			if !ok {
				return goja.Null()
			}
			base = &u
		}
		u, ok := parseURL(c.Argument(0).String(), base)
		if !ok {
			return goja.Null()
		}
		return r.urlParts(u)
	})
	set("setURL", func(c goja.FunctionCall) goja.Value {
		u, _ := parseURL(c.Argument(0).String(), nil)
		u.set(c.Argument(1).String(), c.Argument(2).String())
		return r.urlParts(u)
	})
	r.prelude("web", natives)
}

// urlParts hands a URL over as text by part.
func (r *realm) urlParts(u webURL) goja.Value {
	o := r.vm.CreateObject(nil)
	origin := "null"
	if u.special() && u.protocol != "file:" {
		origin = u.protocol + "//" + u.host()
	}
	for name, v := range map[string]string{
		"href": u.href(), "origin": origin, "protocol": u.protocol, "username": u.username, "password": u.password,
		"host": u.host(), "hostname": u.hostname, "port": u.port, "pathname": u.pathname, "search": u.search, "hash": u.hash,
	} {
		if err := o.Set(name, v); err != nil {
			panic(err)
		}
	}
	return o
}

// webKind names an object for structuredClone.
func (r *realm) webKind(c goja.FunctionCall) goja.Value {
	name := map[objectKind]string{
		kindPlain: "plain", kindInstance: "plain", kindArray: "array", kindMap: "map", kindSet: "set", kindDate: "date",
		kindRegExp: "regexp", kindBoxed: "boxed", kindBuffer: "buffer", kindTyped: "typed", kindError: "error",
		kindPromise: "promise",
	}[r.kindOf(c.Argument(0).(*goja.Object))]
	return r.vm.ToValue(name)
}

// utf8Text decodes a Uint8Array. The second element says whether something in it was no UTF-8.
func (r *realm) utf8Text(c goja.FunctionCall) goja.Value {
	raw, _ := c.Argument(0).Export().([]byte)
	return r.vm.NewArray(strings.ToValidUTF8(string(raw), "\ufffd"), !utf8.Valid(raw))
}

// unpercent decodes %XX where it is well formed and leaves the rest alone.
func unpercent(s string) string {
	if out, err := url.PathUnescape(s); err == nil {
		return strings.ToValidUTF8(out, "\ufffd")
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := url.PathUnescape(s[i : i+3]); err == nil {
				b.WriteString(c)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return strings.ToValidUTF8(b.String(), "\ufffd")
}

// RegExp with Unicode properties and the v flag, which the engine misreads or refuses: the pattern is rewritten
// before the engine sees it, and the script sees the pattern it wrote.
(function (rewrite, plainer) {
  "use strict";
  const { apply, construct, getOwnPropertyDescriptor } = Reflect;
  const { defineProperty } = Object;
  const { join } = Array.prototype;
  const Native = RegExp;
  const proto = Native.prototype;
  const get = WeakMap.prototype.get;
  const set = WeakMap.prototype.set;
  const written = new WeakMap(); // what the script wrote, of those that were rewritten
  const writtenBy = (r) => apply(get, written, [r]);
  const sourceGetter = getOwnPropertyDescriptor(proto, "source").get;
  const flagsGetter = getOwnPropertyDescriptor(proto, "flags").get;
  const unicodeGetter = getOwnPropertyDescriptor(proto, "unicode").get;
  const nativeToString = proto.toString;
  const matchSymbol = Symbol.match;
  const SyntaxErrorClass = SyntaxError;

  const isObject = (v) => (typeof v === "object" && v !== null) || typeof v === "function";
  const isRegExp = (v) => {
    if (!isObject(v)) return false;
    const m = v[matchSymbol];
    return m !== undefined ? !!m : isNative(v);
  };
  const isNative = (v) => {
    try {
      apply(sourceGetter, v, []);
      return v !== proto;
    } catch {
      return false;
    }
  };

  const make = (source, flags, to) => {
    try {
      return construct(Native, [source, flags], to);
    } catch (e) {
      throw e instanceof SyntaxErrorClass ? new SyntaxErrorClass(plainer(e.message)) : e;
    }
  };

  const Own = function RegExp(pattern, flags) {
    const like = isRegExp(pattern);
    if (new.target === undefined && like && flags === undefined && pattern.constructor === Own) return pattern;
    let source = pattern;
    if (isObject(pattern) && isNative(pattern)) {
      const w = writtenBy(pattern);
      source = w ? w.source : apply(sourceGetter, pattern, []);
      if (flags === undefined) flags = w ? w.flags : apply(flagsGetter, pattern, []);
    } else if (like) {
      source = pattern.source;
      if (flags === undefined) flags = pattern.flags;
    }
    source = source === undefined ? "" : String(source);
    flags = flags === undefined ? "" : String(flags);
    const to = new.target === undefined ? Own : new.target;
    const r = rewrite(source, flags);
    if (r === null) return make(source, flags, to);
    if (typeof r === "string") throw new SyntaxErrorClass(r);
    const made = make(r[0], r[1], to);
    apply(set, written, [made, { source, flags }]);
    return made;
  };

  const own = (o, key, d) => defineProperty(o, key, { enumerable: false, configurable: true, ...d });
  for (const key of Reflect.ownKeys(Native)) {
    if (key === "prototype" || key === "name" || key === "length") continue;
    defineProperty(Own, key, getOwnPropertyDescriptor(Native, key));
  }
  defineProperty(Own, "prototype", { value: proto, writable: false, enumerable: false, configurable: false });
  defineProperty(Own, "length", { value: 2, configurable: true });
  // Splitting asks for the species and is fast only with the engine's own constructor.
  own(Own, Symbol.species, { get: getOwnPropertyDescriptor({ get [Symbol.species]() { return this === Own ? Native : this; } }, Symbol.species).get });
  own(proto, "constructor", { value: Own, writable: true });

  const accessors = {
    get source() { const w = isObject(this) ? writtenBy(this) : undefined; return w ? escapeSource(w.source) : apply(sourceGetter, this, []); },
    get flags() {
      if (isObject(this) && writtenBy(this)) return sorted(writtenBy(this).flags);
      return apply(flagsGetter, this, []);
    },
    get unicode() {
      const w = isObject(this) ? writtenBy(this) : undefined;
      return w ? has(w.flags, "u") : apply(unicodeGetter, this, []);
    },
    get unicodeSets() { const w = isObject(this) ? writtenBy(this) : undefined; return w ? has(w.flags, "v") : false; },
    get hasIndices() { return false; },
  };
  const has = (s, c) => { for (let i = 0; i < s.length; i++) if (s[i] === c) return true; return false; };
  const sorted = (flags) => {
    let out = "";
    for (const c of "dgimsuvy") if (has(flags, c)) out += c;
    return out;
  };
  const escapeSource = (s) => {
    if (s === "") return "(?:)";
    let out = "";
    let inClass = false;
    for (let i = 0; i < s.length; i++) {
      const c = s[i];
      if (c === "\\") { out += c + (s[++i] ?? ""); continue; }
      if (c === "[") inClass = true;
      if (c === "]") inClass = false;
      out += c === "/" && !inClass ? "\\/" : c === "\n" ? "\\n" : c === "\r" ? "\\r" : c;
    }
    return out;
  };
  // The engine watches unicode and gives up its fast paths when that changes, so it stays the engine's own: the
  // rewritten expression is a unicode one.
  for (const key of ["source", "flags", "unicodeSets", "hasIndices"]) {
    own(proto, key, { get: getOwnPropertyDescriptor(accessors, key).get, set: undefined });
  }
  own(proto, "toString", { writable: true, value: { toString() {
    const w = isObject(this) ? writtenBy(this) : undefined;
    return w ? "/" + escapeSource(w.source) + "/" + sorted(w.flags) : apply(nativeToString, this, []);
  } }.toString });
  delete proto.compile;
  // What the last match left on RegExp is not kept here; reading it must not pass for "no match".
  for (const key of ["$1", "$2", "$3", "$4", "$5", "$6", "$7", "$8", "$9", "$_", "$&", "$+", "$`", "$'", "input", "lastMatch", "lastParen", "leftContext", "rightContext"]) {
    own(Own, key, { get() { throw new TypeError(`RegExp[${JSON.stringify(key)}] is not available: use the array that match or exec returns`); }, set: undefined });
  }

  const escapes = "^$\\.*+?()[]{}|/";
  const punctuators = ",-=<>#&!%:;@~'`\"";
  const hex = (n, width) => {
    let s = "";
    for (let i = 0; i < width; i++) { s = "0123456789abcdef"[n & 15] + s; n >>= 4; }
    return s;
  };
  const escapeChar = (c, code) => {
    if (has(escapes, c)) return "\\" + c;
    const control = "\t\n\v\f\r";
    for (let i = 0; i < control.length; i++) if (control[i] === c) return "\\" + "tnvfr"[i];
    const space = code === 0x20 || code === 0xa0 || code === 0xfeff || code === 0x1680 || (code >= 0x2000 && code <= 0x200a) ||
      code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f || code === 0x3000;
    if (has(punctuators, c) || space || (code >= 0xd800 && code < 0xe000)) {
      return code < 0x100 ? "\\x" + hex(code, 2) : "\\u" + hex(code, 4);
    }
    return c;
  };
  own(Own, "escape", { writable: true, value: { escape(s) {
    if (typeof s !== "string") throw new TypeError("RegExp.escape takes a string");
    const out = [];
    for (let i = 0; i < s.length; i++) {
      const code = s.charCodeAt(i);
      const pair = code >= 0xd800 && code < 0xdc00 && i + 1 < s.length && s.charCodeAt(i + 1) >= 0xdc00 && s.charCodeAt(i + 1) < 0xe000;
      if (pair) { out[out.length] = s[i] + s[++i]; continue; }
      const c = s[i];
      const alnum = (c >= "0" && c <= "9") || (c >= "a" && c <= "z") || (c >= "A" && c <= "Z");
      out[out.length] = i === 0 && alnum ? "\\x" + hex(code, 2) : escapeChar(c, code);
    }
    return apply(join, out, [""]);
  } }.escape });

  defineProperty(globalThis, "RegExp", { value: Own, writable: true, enumerable: false, configurable: true });
})

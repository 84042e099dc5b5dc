// The web's globals that need no host, for those who configure them. URL text is taken apart by native.
(function (native) {
  "use strict";
  const { apply, defineProperty, ownKeys } = Reflect;
  const { encodeURIComponent, decodeURIComponent } = globalThis;
  const { charCodeAt, slice } = String.prototype;
  const mapGet = Map.prototype.get;
  const mapSet = Map.prototype.set;
  const mapHas = Map.prototype.has;
  const code = (s, i) => apply(charCodeAt, s, [i]);
  const part = (s, a, b) => apply(slice, s, [a, b]);
  const need = (n, args, what) => {
    if (args.length < n) throw new TypeError(`${what} needs ${n} argument${n > 1 ? "s" : ""}`);
  };
  const publish = (list) => {
    for (const key of ownKeys(list)) {
      defineProperty(globalThis, key, { value: list[key], writable: true, enumerable: false, configurable: true });
    }
  };

  // utf8 gives the bytes of a text, half a surrogate pair as U+FFFD.
  const utf8 = (s) => {
    const out = [];
    for (let i = 0; i < s.length; i++) {
      let c = code(s, i);
      if (c >= 0xd800 && c < 0xe000) {
        const low = c < 0xdc00 && i + 1 < s.length ? code(s, i + 1) : 0;
        if (low >= 0xdc00 && low < 0xe000) { c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00); i++; }
        else c = 0xfffd;
      }
      if (c < 0x80) out[out.length] = c;
      else if (c < 0x800) { out[out.length] = 0xc0 | (c >> 6); out[out.length] = 0x80 | (c & 63); }
      else if (c < 0x10000) { out[out.length] = 0xe0 | (c >> 12); out[out.length] = 0x80 | ((c >> 6) & 63); out[out.length] = 0x80 | (c & 63); }
      else { out[out.length] = 0xf0 | (c >> 18); out[out.length] = 0x80 | ((c >> 12) & 63); out[out.length] = 0x80 | ((c >> 6) & 63); out[out.length] = 0x80 | (c & 63); }
    }
    return out;
  };
  const bytesOf = (v) => {
    if (v instanceof ArrayBuffer) return new Uint8Array(v);
    if (ArrayBuffer.isView(v)) return new Uint8Array(v.buffer, v.byteOffset, v.byteLength);
    throw new TypeError("The argument must be an ArrayBuffer or a view of one");
  };

  const TextEncoder = class TextEncoder {
    get encoding() { return "utf-8"; }
    encode(text = "") { return new Uint8Array(utf8(String(text))); }
    encodeInto(text, target) {
      text = String(text);
      let read = 0, written = 0;
      for (const c of text) {
        const bytes = utf8(c);
        if (written + bytes.length > target.length) break;
        for (let i = 0; i < bytes.length; i++) target[written++] = bytes[i];
        read += c.length;
      }
      return { read, written };
    }
  };
  const TextDecoder = class TextDecoder {
    #fatal; #keepBOM;
    constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
      const l = String(label).trim().toLowerCase();
      if (l !== "utf-8" && l !== "utf8") throw new RangeError(`The encoding "${label}" is not available here: only utf-8 is`);
      this.#fatal = !!fatal;
      this.#keepBOM = !!ignoreBOM;
    }
    get encoding() { return "utf-8"; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#keepBOM; }
    decode(input, { stream = false } = {}) {
      if (stream) throw new TypeError("TextDecoder: stream is not available here");
      if (input === undefined) return "";
      const r = native.utf8Text(bytesOf(input));
      if (r.length === 0 && this.#fatal || this.#fatal && r[1]) throw new TypeError("The encoded data was not valid for encoding utf-8");
      const s = r[0];
      return !this.#keepBOM && code(s, 0) === 0xfeff ? part(s, 1) : s;
    }
  };

  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const invalid = (what) => { const e = new Error(what); e.name = "InvalidCharacterError"; return e; };
  const { btoa, atob } = {
    btoa(...args) {
      need(1, args, "btoa");
      const s = String(args[0]);
      const out = [];
      for (let i = 0; i < s.length; i += 3) {
        const a = code(s, i), b = i + 1 < s.length ? code(s, i + 1) : 0, c = i + 2 < s.length ? code(s, i + 2) : 0;
        if (a > 255 || b > 255 || c > 255) throw invalid("btoa takes characters up to U+00FF only: encode the text with TextEncoder first");
        out[out.length] = digits[a >> 2] + digits[((a & 3) << 4) | (b >> 4)] +
          (i + 1 < s.length ? digits[((b & 15) << 2) | (c >> 6)] : "=") + (i + 2 < s.length ? digits[c & 63] : "=");
      }
      return out.join("");
    },
    atob(...args) {
      need(1, args, "atob");
      let s = String(args[0]).replace(/[\t\n\f\r ]/g, "");
      if (s.length % 4 === 0) s = s.replace(/==?$/, "");
      if (s.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(s)) throw invalid("The text given to atob is not base64");
      const out = [];
      for (let i = 0; i < s.length; i += 4) {
        const v = [0, 1, 2, 3].map((j) => (i + j < s.length ? digits.indexOf(s[i + j]) : 0));
        out[out.length] = String.fromCharCode((v[0] << 2) | (v[1] >> 4)) +
          (i + 2 < s.length ? String.fromCharCode(((v[1] & 15) << 4) | (v[2] >> 2)) : "") +
          (i + 3 < s.length ? String.fromCharCode(((v[2] & 3) << 6) | v[3]) : "");
      }
      return out.join("");
    },
  };

  const cloneError = (what) => { const e = new Error(`${what} could not be cloned.`); e.name = "DataCloneError"; return e; };
  const clone = (v, seen) => {
    if (typeof v === "symbol") throw cloneError("A symbol");
    if (typeof v === "function") throw cloneError("A function");
    if (typeof v !== "object" || v === null) return v;
    if (apply(mapHas, seen, [v])) return apply(mapGet, seen, [v]);
    const keep = (c) => { apply(mapSet, seen, [v, c]); return c; };
    const members = (to) => { for (const k of Object.keys(v)) to[k] = clone(v[k], seen); return to; };
    switch (native.kind(v)) {
      case "array": { const c = keep([]); c.length = v.length; return members(c); }
      case "map": { const c = keep(new Map()); for (const [k, x] of new Map(v)) c.set(clone(k, seen), clone(x, seen)); return c; }
      case "set": { const c = keep(new Set()); for (const x of new Set(v)) c.add(clone(x, seen)); return c; }
      case "date": return keep(new Date(Number(v)));
      case "regexp": return keep(new RegExp(v.source, v.flags));
      case "boxed": return keep(Object(v.valueOf()));
      case "buffer": return keep(v.slice(0));
      case "typed": return keep(new v.constructor(v));
      case "error": {
        const known = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
        const c = keep(new (known[v.name] ?? Error)(v.message));
        if ("cause" in v) defineProperty(c, "cause", { value: clone(v.cause, seen), writable: true, enumerable: false, configurable: true });
        return c;
      }
      case "plain": return members(keep({}));
      case "promise": throw cloneError("A Promise");
    }
    throw cloneError("The object");
  };
  const { structuredClone } = { structuredClone(...args) {
    need(1, args, "structuredClone");
    return clone(args[0], new Map());
  } };

  // application/x-www-form-urlencoded
  const encodeForm = (s) => encodeURIComponent(s.toWellFormed()).replace(/%20/g, "+")
    .replace(/[!'()~]/g, (c) => "%" + code(c, 0).toString(16).toUpperCase());
  const decodeForm = (s) => native.percent(s.replace(/\+/g, " "));
  const parseForm = (s) => {
    const out = [];
    for (const piece of s.split("&")) {
      if (piece === "") continue;
      const at = piece.indexOf("=");
      out.push(at < 0 ? [decodeForm(piece), ""] : [decodeForm(part(piece, 0, at)), decodeForm(part(piece, at + 1))]);
    }
    return out;
  };
  let bind; // gives a URLSearchParams the URL it belongs to
  const URLSearchParams = class URLSearchParams {
    #list = [];
    #changed = () => {};
    static { bind = (p, changed, text) => { p.#changed = changed; p.#list = parseForm(text); }; }
    constructor(init = "") {
      if (init !== null && (typeof init === "object" || typeof init === "function")) {
        if (init[Symbol.iterator]) {
          for (const pair of init) {
            const p = [...pair];
            if (p.length !== 2) throw new TypeError("Each query pair must be an iterable [name, value] tuple");
            this.#list.push([String(p[0]), String(p[1])]);
          }
        } else for (const k of ownKeys(init)) this.#list.push([String(k), String(init[k])]);
        return;
      }
      const s = String(init);
      this.#list = parseForm(s[0] === "?" ? part(s, 1) : s);
    }
    get size() { return this.#list.length; }
    append(...a) { need(2, a, "append"); this.#list.push([String(a[0]), String(a[1])]); this.#changed(this); }
    delete(...a) {
      need(1, a, "delete");
      this.#list = this.#list.filter(([k, v]) => k !== String(a[0]) || (a[1] !== undefined && v !== String(a[1])));
      this.#changed(this);
    }
    get(...a) { need(1, a, "get"); const p = this.#list.find(([k]) => k === String(a[0])); return p ? p[1] : null; }
    getAll(...a) { need(1, a, "getAll"); return this.#list.filter(([k]) => k === String(a[0])).map(([, v]) => v); }
    has(...a) { need(1, a, "has"); return this.#list.some(([k, v]) => k === String(a[0]) && (a[1] === undefined || v === String(a[1]))); }
    set(...a) {
      need(2, a, "set");
      const k = String(a[0]), v = String(a[1]);
      const at = this.#list.findIndex((p) => p[0] === k);
      if (at < 0) this.#list.push([k, v]);
      else this.#list = this.#list.filter((p, i) => i <= at || p[0] !== k).map((p, i) => (i === at ? [k, v] : p));
      this.#changed(this);
    }
    sort() { this.#list.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)); this.#changed(this); }
    forEach(f, self) { for (const [k, v] of this.#list) apply(f, self, [v, k, this]); }
    *entries() { for (let i = 0; i < this.#list.length; i++) yield [this.#list[i][0], this.#list[i][1]]; }
    *keys() { for (const [k] of this.entries()) yield k; }
    *values() { for (const [, v] of this.entries()) yield v; }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return this.#list.map(([k, v]) => encodeForm(k) + "=" + encodeForm(v)).join("&"); }
    get [Symbol.toStringTag]() { return "URLSearchParams"; }
  };

  const open = (text, base) => {
    const u = native.parseURL(text, base);
    if (u !== null) return u;
    const e = new TypeError("Invalid URL");
    e.code = "ERR_INVALID_URL";
    e.input = text;
    throw e;
  };
  const URL = class URL {
    #u; #params;
    constructor(...a) {
      need(1, a, "URL");
      this.#u = open(String(a[0]), a[1] === undefined ? undefined : String(a[1]));
    }
    static canParse(text, base) { try { new URL(text, base); return true; } catch { return false; } }
    static parse(text, base) { try { return new URL(text, base); } catch { return null; } }
    #set(key, value) { this.#u = native.setURL(this.#u.href, key, String(value)); if (this.#params) this.#link(); }
    #link() {
      bind(this.#params, (p) => { this.#u = native.setURL(this.#u.href, "search", p.toString()); }, part(this.#u.search, 1));
    }
    get searchParams() {
      if (!this.#params) { this.#params = new URLSearchParams(); this.#link(); }
      return this.#params;
    }
    get href() { return this.#u.href; }
    set href(v) { this.#u = open(String(v)); if (this.#params) this.#link(); }
    get origin() { return this.#u.origin; }
    get protocol() { return this.#u.protocol; }
    set protocol(v) { this.#set("protocol", v); }
    get username() { return this.#u.username; }
    set username(v) { this.#set("username", v); }
    get password() { return this.#u.password; }
    set password(v) { this.#set("password", v); }
    get host() { return this.#u.host; }
    set host(v) { this.#set("host", v); }
    get hostname() { return this.#u.hostname; }
    set hostname(v) { this.#set("hostname", v); }
    get port() { return this.#u.port; }
    set port(v) { this.#set("port", v); }
    get pathname() { return this.#u.pathname; }
    set pathname(v) { this.#set("pathname", v); }
    get search() { return this.#u.search; }
    set search(v) { this.#set("search", v); }
    get hash() { return this.#u.hash; }
    set hash(v) { this.#set("hash", v); }
    toString() { return this.href; }
    toJSON() { return this.href; }
    get [Symbol.toStringTag]() { return "URL"; }
  };

  publish({ TextEncoder, TextDecoder, btoa, atob, structuredClone, URL, URLSearchParams });
})

// What ECMAScript has and the engine lacks. Everything is defined as the standard defines it: not enumerable,
// methods that are no constructors, and built on functions taken before a script could change them.
(function (native) {
  "use strict";
  const { apply, construct, ownKeys, getOwnPropertyDescriptor } = Reflect;
  const { defineProperty, create, getPrototypeOf } = Object;
  const uncurry = (f) => (self, ...args) => apply(f, self, args);
  const mapGet = uncurry(Map.prototype.get);
  const mapSet = uncurry(Map.prototype.set);
  const mapHas = uncurry(Map.prototype.has);
  const weakGet = uncurry(WeakMap.prototype.get);
  const weakSet = uncurry(WeakMap.prototype.set);
  const weakHas = uncurry(WeakMap.prototype.has);
  const charCodeAt = uncurry(String.prototype.charCodeAt);
  const slice = uncurry(String.prototype.slice);
  const { replaceAll, padStart } = String.prototype;
  const { trunc, min, max } = Math;
  const StringOf = String;
  const NumberOf = Number;
  const maxSafeInteger = Number.MAX_SAFE_INTEGER;
  const ArrayClass = Array;
  const PromiseClass = Promise;

  const method = (o, name, f, key = name) => {
    if (!(key in o)) defineProperty(o, key, { value: f, writable: true, enumerable: false, configurable: true });
  };
  const methods = (o, list) => {
    for (const key of ownKeys(list)) method(o, key, list[key]);
  };
  const isObject = (v) => (typeof v === "object" && v !== null) || typeof v === "function";
  const callable = (f, what) => {
    if (typeof f !== "function") throw new TypeError(`${what} is not a function`);
    return f;
  };

  for (const name of ["asyncIterator", "dispose", "asyncDispose"]) {
    if (!Symbol[name]) {
      defineProperty(Symbol, name, { value: Symbol("Symbol." + name), writable: false, enumerable: false, configurable: false });
    }
  }

  const group = (items, callback, put) => {
    callable(callback, "The grouping callback");
    let i = 0;
    for (const item of items) put(callback(item, i++), item);
  };
  methods(Object, {
    groupBy(items, callback) {
      const out = create(null);
      group(items, callback, (key, item) => {
        if (typeof key !== "symbol") key = String(key);
        if (getOwnPropertyDescriptor(out, key)) out[key][out[key].length] = item;
        else out[key] = [item];
      });
      return out;
    },
  });
  methods(Map, {
    groupBy(items, callback) {
      const out = new Map();
      group(items, callback, (key, item) => {
        const list = mapGet(out, key);
        if (list) list[list.length] = item;
        else mapSet(out, key, [item]);
      });
      return out;
    },
  });
  methods(Map.prototype, {
    getOrInsert(key, value) {
      if (mapHas(this, key)) return mapGet(this, key);
      mapSet(this, key, value);
      return value;
    },
    getOrInsertComputed(key, callback) {
      callable(callback, "The callback");
      if (mapHas(this, key)) return mapGet(this, key);
      const value = callback(key === 0 ? 0 : key);
      mapSet(this, key, value);
      return value;
    },
  });
  methods(WeakMap.prototype, {
    getOrInsert(key, value) {
      if (weakHas(this, key)) return weakGet(this, key);
      weakSet(this, key, value);
      return value;
    },
    getOrInsertComputed(key, callback) {
      callable(callback, "The callback");
      if (weakHas(this, key)) return weakGet(this, key);
      const value = callback(key);
      weakSet(this, key, value);
      return value;
    },
  });

  methods(PromiseClass, {
    withResolvers() {
      let resolve, reject;
      const promise = new this((a, b) => { resolve = a; reject = b; });
      return { promise, resolve, reject };
    },
    try(f, ...args) {
      return new this((resolve) => resolve(apply(callable(f, "The callback"), undefined, args)));
    },
  });

  // each is for await, which the engine lacks: it hands what source yields to put, and closes source if that fails.
  const each = async (source, make, sync, put) => {
    const iterator = apply(make, source, []);
    if (!isObject(iterator)) throw new TypeError("The iterator is not an object");
    const next = iterator.next;
    for (;;) {
      let step = apply(next, iterator, []);
      if (!sync) step = await step;
      if (!isObject(step)) throw new TypeError(`Iterator result ${StringOf(step)} is not an object`);
      if (step.done) return;
      const value = step.value;
      try {
        await put(sync ? await value : value);
      } catch (e) {
        try {
          const close = iterator.return;
          const closed = close == null ? undefined : apply(close, iterator, []);
          if (!sync) await closed;
        } catch { /* the first error goes on */ }
        throw e;
      }
    }
  };
  const isConstructor = (f) => {
    try {
      construct(Object, [], f);
      return true;
    } catch {
      return false;
    }
  };
  methods(Array, {
    async fromAsync(source, mapper = undefined, self = undefined) {
      if (mapper !== undefined) callable(mapper, "The mapper");
      const makeAsync = source[Symbol.asyncIterator];
      const make = makeAsync ?? source[Symbol.iterator];
      const C = isConstructor(this) ? this : ArrayClass;
      let i = 0;
      const put = async (out, value) => {
        const v = mapper ? await apply(mapper, self, [value, i]) : value;
        defineProperty(out, i++, { value: v, writable: true, enumerable: true, configurable: true });
      };
      if (make != null) {
        const out = new C();
        await each(source, make, makeAsync == null, (value) => put(out, value));
        out.length = i;
        return out;
      }
      const n = min(max(trunc(NumberOf(source.length)) || 0, 0), maxSafeInteger);
      const out = new C(n);
      while (i < n) await put(out, await source[i]);
      out.length = n;
      return out;
    },
  });

  const isHigh = (c) => c >= 0xd800 && c < 0xdc00;
  const isLow = (c) => c >= 0xdc00 && c < 0xe000;
  // lone gives the index of the first half of a pair that stands alone at or after i, or -1.
  const lone = (s, i) => {
    for (; i < s.length; i++) {
      const c = charCodeAt(s, i);
      if (isHigh(c)) {
        if (i + 1 < s.length && isLow(charCodeAt(s, i + 1))) i++;
        else return i;
      } else if (isLow(c)) return i;
    }
    return -1;
  };
  const thisString = (v, name) => {
    if (v == null) throw new TypeError(`String.prototype.${name} called on null or undefined`);
    return String(v);
  };
  methods(String.prototype, {
    isWellFormed() { return lone(thisString(this, "isWellFormed"), 0) < 0; },
    toWellFormed() {
      let s = thisString(this, "toWellFormed");
      for (let i = lone(s, 0); i >= 0; i = lone(s, i + 1)) s = slice(s, 0, i) + "\ufffd" + slice(s, i + 1);
      return s;
    },
  });

  methods(Math, { sumPrecise(items) {
    const list = [];
    for (const n of items) {
      if (typeof n !== "number") throw new TypeError("Math.sumPrecise takes numbers");
      list[list.length] = n;
    }
    return native.sum(list);
  } });

  methods(Error, { captureStackTrace(target) {
    if (!isObject(target)) throw new TypeError("Invalid argument");
    defineProperty(target, "stack", { value: new Error().stack, writable: true, enumerable: false, configurable: true });
  } });

  const lookup = (kind) => function (key) {
    for (let o = Object(this); o !== null; o = getPrototypeOf(o)) {
      const d = getOwnPropertyDescriptor(o, key);
      if (d) return d[kind];
    }
  };
  methods(Object.prototype, {
    __defineGetter__(key, f) { defineProperty(this, key, { get: callable(f, "The getter"), enumerable: true, configurable: true }); },
    __defineSetter__(key, f) { defineProperty(this, key, { set: callable(f, "The setter"), enumerable: true, configurable: true }); },
    __lookupGetter__: lookup("get"),
    __lookupSetter__: lookup("set"),
  });

  const html = { anchor: "a name", big: "big", blink: "blink", bold: "b", fixed: "tt", fontcolor: "font color", fontsize: "font size",
    italics: "i", link: "a href", small: "small", strike: "strike", sub: "sub", sup: "sup" };
  for (const name of ownKeys(html)) {
    const tag = html[name];
    const at = tag.indexOf(" ");
    const open = at < 0 ? tag : slice(tag, 0, at);
    const attribute = at < 0 ? "" : slice(tag, at + 1);
    const f = { [name](value) {
      const s = thisString(this, name);
      let head = open;
      if (attribute !== "") head += ` ${attribute}="${apply(replaceAll, String(value), ['"', "&quot;"])}"`;
      return `<${head}>${s}</${open}>`;
    } }[name];
    method(String.prototype, name, f);
  }

  const getFullYear = uncurry(Date.prototype.getFullYear);
  const setFullYear = uncurry(Date.prototype.setFullYear);
  methods(Date.prototype, {
    getYear() { return getFullYear(this) - 1900; },
    setYear(year) {
      const y = trunc(Number(year));
      return setFullYear(this, y >= 0 && y <= 99 ? 1900 + y : y);
    },
    toGMTString: Date.prototype.toUTCString,
  });
  // The engine writes years outside 0 to 9999 with too few digits.
  const toISOString = Date.prototype.toISOString;
  defineProperty(Date.prototype, "toISOString", { writable: true, enumerable: false, configurable: true, value: { toISOString() {
    const s = apply(toISOString, this, []);
    if (s[0] !== "-" && s[0] !== "+") return s;
    const end = s.indexOf("-", 1);
    return s[0] + apply(padStart, slice(s, 1, end), [6, "0"]) + slice(s, end);
  } }.toISOString });
  for (const key of ["at", "copyWithin", "entries", "fill", "find", "findIndex", "findLast", "findLastIndex", "flat", "flatMap",
    "includes", "keys", "toReversed", "toSorted", "toSpliced", "values"]) {
    Array.prototype[Symbol.unscopables][key] = true;
  }

  // Nothing is ever collected while a script runs, as far as the script can see: the standard allows it.
  if (typeof WeakRef === "undefined") {
    const targets = new WeakMap();
    const WeakRefClass = class WeakRef {
      constructor(target) {
        if (!isObject(target) && typeof target !== "symbol") throw new TypeError("WeakRef: invalid target");
        weakSet(targets, this, { target });
      }
      deref() {
        if (!weakHas(targets, this)) throw new TypeError("WeakRef.prototype.deref called on another object");
        return weakGet(targets, this).target;
      }
    };
    defineProperty(WeakRefClass.prototype, Symbol.toStringTag, { value: "WeakRef", configurable: true });
    const RegistryClass = class FinalizationRegistry {
      constructor(cleanup) { callable(cleanup, "The cleanup callback"); }
      register(target) { if (!isObject(target)) throw new TypeError("FinalizationRegistry: invalid target"); }
      unregister() { return false; }
    };
    defineProperty(RegistryClass.prototype, Symbol.toStringTag, { value: "FinalizationRegistry", configurable: true });
    method(globalThis, "WeakRef", WeakRefClass);
    method(globalThis, "FinalizationRegistry", RegistryClass);
  }

  // Disposal, which the stripper lowers using declarations to.
  const SuppressedErrorClass = class SuppressedError extends Error {
    constructor(error, suppressed, message) {
      super(message);
      for (const [key, value] of [["error", error], ["suppressed", suppressed]]) {
        defineProperty(this, key, { value, writable: true, enumerable: false, configurable: true });
      }
    }
  };
  defineProperty(SuppressedErrorClass.prototype, "name", { value: "SuppressedError", writable: true, configurable: true });
  method(globalThis, "SuppressedError", SuppressedErrorClass);
  method(getPrototypeOf(getPrototypeOf([][Symbol.iterator]())), "dispose", { [Symbol.dispose]() {
    const close = this.return;
    if (close !== undefined) apply(close, this, []);
  } }[Symbol.dispose], Symbol.dispose);
})

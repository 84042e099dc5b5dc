// Iterator and its helpers.
(function () {
  "use strict";
  const { apply } = Reflect;
  const { defineProperty, create, getPrototypeOf } = Object;
  const IteratorPrototype = getPrototypeOf(getPrototypeOf([][Symbol.iterator]()));
  const get = WeakMap.prototype.get;
  const set = WeakMap.prototype.set;
  const states = new WeakMap();
  const stateOf = (helper) => {
    const s = apply(get, states, [helper]);
    if (!s) throw new TypeError("not an Iterator Helper object");
    return s;
  };
  const isObject = (v) => (typeof v === "object" && v !== null) || typeof v === "function";
  const define = (o, list) => {
    for (const key of Reflect.ownKeys(list)) {
      defineProperty(o, key, { value: list[key], writable: true, enumerable: false, configurable: true });
    }
  };

  const IteratorClass = function Iterator() {
    if (new.target === undefined || new.target === IteratorClass) throw new TypeError("Iterator is abstract: extend it");
  };
  defineProperty(IteratorClass, "prototype", { value: IteratorPrototype, writable: false, enumerable: false, configurable: false });
  // As in the standard, these two are accessors that cannot be written on the prototype itself by mistake.
  const weird = (key, value) => defineProperty(IteratorPrototype, key, {
    get() { return value; },
    set(v) {
      if (!isObject(this) || this === IteratorPrototype) throw new TypeError("read only");
      if (Object.hasOwn(this, key)) this[key] = v;
      else defineProperty(this, key, { value: v, writable: true, enumerable: true, configurable: true });
    },
    enumerable: false,
    configurable: true,
  });
  weird("constructor", IteratorClass);
  weird(Symbol.toStringTag, "Iterator");

  // record reads an iterator's next method once.
  const record = (it) => {
    if (!isObject(it)) throw new TypeError("Iterator helper called on non-object");
    return { it, next: it.next };
  };
  const step = (r) => {
    const res = apply(r.next, r.it, []);
    if (!isObject(res)) throw new TypeError("Iterator result " + String(res) + " is not an object");
    return res;
  };
  const close = (it) => {
    const f = it.return;
    if (f !== undefined && f !== null) return apply(f, it, []);
  };
  // closing runs f and closes the iterator if f throws.
  const closing = (it, f) => {
    try {
      return f();
    } catch (e) {
      try { close(it); } catch {}
      throw e;
    }
  };
  const need = (it, f) => {
    if (!isObject(it)) throw new TypeError("Iterator helper called on non-object");
    if (typeof f !== "function") closing(it, () => { throw new TypeError(String(f) + " is not a function"); });
  };
  const count = (it, n) => closing(it, () => {
    const x = Number(n);
    if (x !== x) throw new RangeError(String(n) + " must be positive");
    const i = Math.trunc(x);
    if (i < 0) throw new RangeError(String(n) + " must be positive");
    return i;
  });

  const HelperPrototype = create(IteratorPrototype);
  define(HelperPrototype, {
    next() {
      const s = stateOf(this);
      if (s.running) throw new TypeError("Generator is already running");
      if (s.done) return { value: undefined, done: true };
      s.started = s.running = true;
      try {
        const res = s.gen.next();
        s.done = res.done;
        return res;
      } catch (e) {
        s.done = true;
        throw e;
      } finally {
        s.running = false;
      }
    },
    return() {
      const s = stateOf(this);
      if (s.running) throw new TypeError("Generator is already running");
      if (s.done) return { value: undefined, done: true };
      s.done = true;
      if (s.started) s.gen.return();
      else s.close();
      return { value: undefined, done: true };
    },
  });
  defineProperty(HelperPrototype, Symbol.toStringTag, { value: "Iterator Helper", configurable: true });
  const helper = (gen, closer) => {
    const h = create(HelperPrototype);
    apply(set, states, [h, { gen, close: closer, started: false, running: false, done: false }]);
    return h;
  };
  // over makes a helper of a generator body that pulls from r; leaving it early closes the iterator.
  const over = (r, body) => {
    const gen = (function* () {
      let ended = false;
      const pull = () => {
        let res;
        try {
          res = step(r);
          if (res.done) { ended = true; return null; }
          return { value: res.value };
        } catch (e) {
          ended = true;
          throw e;
        }
      };
      let failed = true;
      try {
        yield* body(pull);
        failed = false;
      } catch (e) {
        if (!ended) { ended = true; try { close(r.it); } catch {} }
        throw e;
      } finally {
        if (!ended) close(r.it);
      }
    })();
    return helper(gen, () => close(r.it));
  };

  const WrapPrototype = create(IteratorPrototype);
  define(WrapPrototype, {
    next() { return step(stateOf(this)); },
    return() {
      const s = stateOf(this);
      const f = s.it.return;
      if (f === undefined) return { value: undefined, done: true };
      return apply(f, s.it, []);
    },
  });
  const flattenable = (v, allowString) => {
    if (!isObject(v) && !(allowString && typeof v === "string")) throw new TypeError(String(v) + " is not an object");
    const f = v[Symbol.iterator];
    if (f === undefined || f === null) return record(v);
    const it = apply(f, v, []);
    if (!isObject(it)) throw new TypeError(String(it) + " is not an object");
    return record(it);
  };

  define(IteratorClass, {
    from(v) {
      const r = flattenable(v, true);
      if (r.it instanceof IteratorClass) return r.it;
      const w = create(WrapPrototype);
      apply(set, states, [w, r]);
      return w;
    },
    concat(...items) {
      const opened = items.map((item) => {
        if (!isObject(item)) throw new TypeError(String(item) + " is not an object");
        const open = item[Symbol.iterator];
        if (typeof open !== "function") throw new TypeError("item is not iterable");
        return { item, open };
      });
      return helper((function* () {
        for (const { item, open } of opened) yield* { [Symbol.iterator]: () => apply(open, item, []) };
      })(), () => {});
    },
  });

  define(IteratorPrototype, {
    map(f) {
      need(this, f);
      return over(record(this), function* (pull) {
        for (let i = 0, x; (x = pull()); i++) yield f(x.value, i);
      });
    },
    filter(f) {
      need(this, f);
      return over(record(this), function* (pull) {
        for (let i = 0, x; (x = pull()); i++) if (f(x.value, i)) yield x.value;
      });
    },
    take(n) {
      if (!isObject(this)) throw new TypeError("Iterator helper called on non-object");
      const limit = count(this, n);
      return over(record(this), function* (pull) {
        for (let left = limit; left > 0; left--) {
          const x = pull();
          if (!x) return;
          yield x.value;
        }
      });
    },
    drop(n) {
      if (!isObject(this)) throw new TypeError("Iterator helper called on non-object");
      const limit = count(this, n);
      return over(record(this), function* (pull) {
        for (let left = limit; left > 0; left--) if (!pull()) return;
        for (let x; (x = pull());) yield x.value;
      });
    },
    flatMap(f) {
      need(this, f);
      return over(record(this), function* (pull) {
        for (let i = 0, x; (x = pull()); i++) {
          const r = flattenable(f(x.value, i), false);
          yield* { [Symbol.iterator]: () => ({ next: () => step(r), return: (v) => { close(r.it); return { value: v, done: true }; } }) };
        }
      });
    },
    reduce(f, ...init) {
      need(this, f);
      const r = record(this);
      let acc, i = 0;
      if (init.length > 0) acc = init[0];
      else {
        const res = step(r);
        if (res.done) throw new TypeError("Reduce of a done iterator with no initial value");
        acc = res.value;
        i = 1;
      }
      for (let res; !(res = step(r)).done; i++) {
        const value = res.value;
        acc = closing(r.it, () => f(acc, value, i));
      }
      return acc;
    },
    toArray() {
      const r = record(this);
      const out = [];
      for (let res; !(res = step(r)).done;) out[out.length] = res.value;
      return out;
    },
    forEach(f) {
      need(this, f);
      const r = record(this);
      for (let res, i = 0; !(res = step(r)).done; i++) {
        const value = res.value;
        closing(r.it, () => f(value, i));
      }
    },
    some(f) {
      need(this, f);
      const r = record(this);
      for (let res, i = 0; !(res = step(r)).done; i++) {
        const value = res.value;
        if (closing(r.it, () => f(value, i))) { close(r.it); return true; }
      }
      return false;
    },
    every(f) {
      need(this, f);
      const r = record(this);
      for (let res, i = 0; !(res = step(r)).done; i++) {
        const value = res.value;
        if (!closing(r.it, () => f(value, i))) { close(r.it); return false; }
      }
      return true;
    },
    find(f) {
      need(this, f);
      const r = record(this);
      for (let res, i = 0; !(res = step(r)).done; i++) {
        const value = res.value;
        if (closing(r.it, () => f(value, i))) { close(r.it); return value; }
      }
    },
  });

  defineProperty(globalThis, "Iterator", { value: IteratorClass, writable: true, enumerable: false, configurable: true });
})

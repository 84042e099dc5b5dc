// JSON.parse on the reader that tool results go through: it is faster, keeps half surrogate pairs and large numbers as
// the standard has them, and does not recurse.
// JSON.stringify lays its text out by itself: the engine's moves in one step more after every empty list or object.
(function (parse, indent) {
  "use strict";
  const { apply, deleteProperty, defineProperty } = Reflect;
  const { keys, getPrototypeOf } = Object;
  const { isArray } = Array;
  const SyntaxErrorClass = SyntaxError;
  const { stringify } = JSON;
  const { slice, repeat } = String.prototype;
  const { min, trunc } = Math;
  const numberValue = Number.prototype.valueOf;
  const stringValue = String.prototype.valueOf;
  const data = (value) => ({ value, writable: true, enumerable: true, configurable: true });

  const revive = (holder, key, reviver) => {
    const v = holder[key];
    if (typeof v === "object" && v !== null) {
      const list = isArray(v);
      const names = list ? v.length : keys(v);
      const n = list ? names : names.length;
      for (let i = 0; i < n; i++) {
        const k = list ? String(i) : names[i];
        const w = revive(v, k, reviver);
        if (w === undefined) deleteProperty(v, k);
        else defineProperty(v, k, data(w));
      }
    }
    return apply(reviver, holder, [key, v]);
  };

  defineProperty(JSON, "parse", { writable: true, enumerable: false, configurable: true, value: { parse(text, reviver) {
    const bare = typeof text === "object" && text !== null && getPrototypeOf(text) === null && !("toString" in text);
    const r = parse(bare ? "[object Object]" : `${text}`);
    if (r.length === 1) throw new SyntaxErrorClass(r[0]);
    return typeof reviver === "function" ? revive({ "": r[1] }, "", reviver) : r[1];
  } }.parse });

  // unboxed gives the primitive of new Number(2) or new String("-"), as the standard asks for it.
  const holds = (valueOf, v) => { try { apply(valueOf, v, []); return true; } catch { return false; } };
  const unboxed = (v) => (holds(numberValue, v) ? Number(v) : holds(stringValue, v) ? String(v) : undefined);
  const gapOf = (space) => {
    if (typeof space === "number") return space >= 1 ? apply(repeat, " ", [trunc(min(space, 10))]) : "";
    return typeof space === "string" ? apply(slice, space, [0, 10]) : "";
  };
  defineProperty(JSON, "stringify", { writable: true, enumerable: false, configurable: true, value: { stringify(value, replacer, space) {
    const gap = gapOf(typeof space === "object" && space !== null ? unboxed(space) : space);
    const text = apply(stringify, JSON, [value, replacer]);
    return gap === "" || text === undefined ? text : indent(text, gap);
  } }.stringify });
})

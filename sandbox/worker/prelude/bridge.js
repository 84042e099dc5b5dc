// What the engine's Go side needs of the realm, taken before a script can change it. Every function a script gets
// from us is made here, so that it is an ordinary function of the sandbox; the natives stay in closures.
(function () {
  "use strict";
  const { apply, getOwnPropertyDescriptor, ownKeys } = Reflect;
  const { defineProperty, create } = Object;
  const mapForEach = Map.prototype.forEach;
  const setForEach = Set.prototype.forEach;
  const toISOString = Date.prototype.toISOString;
  const getTime = Date.prototype.getTime;
  const isNaN = Number.isNaN;
  const regExpToString = RegExp.prototype.toString;
  const ErrorClass = Error;
  const RangeErrorClass = RangeError;

  const entries = (map) => {
    const out = [];
    apply(mapForEach, map, [(v, k) => { out[out.length] = [k, v]; }]);
    return out;
  };
  const items = (set) => {
    const out = [];
    apply(setForEach, set, [(v) => { out[out.length] = v; }]);
    return out;
  };
  const isoDate = (d) => (isNaN(apply(getTime, d, [])) ? null : apply(toISOString, d, []));
  const stringValue = String.prototype.valueOf;
  const stringOf = (s) => apply(stringValue, s, []);
  const regExpText = (r) => apply(regExpToString, r, []);

  // A function named name that hands its arguments to call; an arrow, so that new and .prototype are not there.
  const makeFunction = (name, call) => ({ [name]: (...args) => call(name, args) })[name];

  const makeError = (message, stack) => {
    const e = new ErrorClass(message);
    defineProperty(e, "stack", { value: stack, writable: true, configurable: true, enumerable: false });
    return e;
  };
  const makeRangeError = (message) => new RangeErrorClass(message);

  // A frozen-looking object without a prototype.
  const bag = (names, call) => {
    const o = create(null);
    for (let i = 0; i < names.length; i++) {
      defineProperty(o, names[i], { value: makeFunction(names[i], call), writable: false, enumerable: true, configurable: false });
    }
    return o;
  };

  // For keys that Go's strings cannot hold, which are those with half a surrogate pair.
  const { keys } = Object;
  const { isArray } = Array;
  const member = (o, key) => o[key];
  const setMember = (o, key, value) => { defineProperty(o, key, { value, writable: true, enumerable: true, configurable: true }); };

  return { keys, isArray, member, setMember, entries, items, isoDate, regExpText, stringOf, makeFunction, makeError, makeRangeError, bag, getOwnPropertyDescriptor, ownKeys };
})

// Formatting for people. English is what there is; any other language is an error, since text in the wrong form is
// worse than none.
(function (native) {
  "use strict";
  const { apply, defineProperty } = Reflect;
  const numberValue = Number.prototype.valueOf;
  const bigIntValue = BigInt.prototype.valueOf;
  const getTime = Date.prototype.getTime;
  const { toUpperCase, toLowerCase } = String.prototype;
  const RangeErrorClass = RangeError;
  const TypeErrorClass = TypeError;
  const { isArray } = Array;

  const checked = (r) => {
    if (typeof r === "string") return r;
    throw new RangeErrorClass(r[0]);
  };
  const localeOf = (locales) => {
    if (locales === undefined) return "en-US";
    if (typeof locales === "string") return locales;
    if (isArray(locales)) return locales.length === 0 ? "en-US" : String(locales[0]);
    if (locales === null) throw new TypeErrorClass("Incorrect locale information provided");
    return String(locales);
  };
  const optionsOf = (options) => (options === undefined || options === null ? {} : Object(options));
  const formatNumber = (n, locales, options) => checked(native.number(n, localeOf(locales), optionsOf(options)));
  const formatDate = (t, locales, options, parts) =>
    t !== t ? "Invalid Date" : checked(native.date(t, localeOf(locales), optionsOf(options), parts));
  const compare = (a, b, locales, options) => {
    const r = native.compare(a, b, localeOf(locales), optionsOf(options));
    if (typeof r === "number") return r;
    throw new RangeErrorClass(r[0]);
  };

  const set = (o, list) => {
    for (const key of Reflect.ownKeys(list)) {
      defineProperty(o, key, { value: list[key], writable: true, enumerable: false, configurable: true });
    }
  };
  set(Number.prototype, { toLocaleString(locales, options) { return formatNumber(apply(numberValue, this, []), locales, options); } });
  set(BigInt.prototype, { toLocaleString(locales, options) { return formatNumber(apply(bigIntValue, this, []), locales, options); } });
  set(Date.prototype, {
    toLocaleString(locales, options) { return formatDate(apply(getTime, this, []), locales, options, "any"); },
    toLocaleDateString(locales, options) { return formatDate(apply(getTime, this, []), locales, options, "date"); },
    toLocaleTimeString(locales, options) { return formatDate(apply(getTime, this, []), locales, options, "time"); },
  });
  set(Array.prototype, { toLocaleString(locales, options) {
    let out = "";
    for (let i = 0; i < this.length; i++) {
      if (i > 0) out += ",";
      if (this[i] !== undefined && this[i] !== null) out += String(this[i].toLocaleString(locales, options));
    }
    return out;
  } });
  const thisString = (v, name) => {
    if (v === undefined || v === null) throw new TypeErrorClass(`String.prototype.${name} called on null or undefined`);
    return String(v);
  };
  // Letter case differs from the plain one in Turkish, Azeri and Lithuanian only.
  const plainCase = (locales) => {
    const l = apply(toLowerCase, localeOf(locales), []);
    for (const tag of ["tr", "az", "lt"]) {
      if (l === tag || (l[0] + l[1] === tag && l[2] === "-")) throw new RangeErrorClass(native.noLocale(l));
    }
  };
  set(String.prototype, {
    localeCompare(that, locales, options) { return compare(thisString(this, "localeCompare"), String(that), locales, options); },
    toLocaleUpperCase(locales) {
      const s = thisString(this, "toLocaleUpperCase");
      plainCase(locales);
      return apply(toUpperCase, s, []);
    },
    toLocaleLowerCase(locales) {
      const s = thisString(this, "toLocaleLowerCase");
      plainCase(locales);
      return apply(toLowerCase, s, []);
    },
  });

  // The three parts of Intl that the above can answer for; the others are absent.
  const get = WeakMap.prototype.get;
  const put = WeakMap.prototype.set;
  const states = new WeakMap();
  const stateOf = (o, name) => {
    const s = apply(get, states, [o]);
    if (s === undefined || s.name !== name) throw new TypeErrorClass(`Intl.${name} method called on another object`);
    return s;
  };
  const Intl = {};
  defineProperty(Intl, Symbol.toStringTag, { value: "Intl", configurable: true });
  const service = (name, bound, make, resolved) => {
    const C = { [name]: function (locales, options) {
      const self = new.target === undefined ? Object.create(C.prototype) : this;
      const locale = localeOf(locales);
      const wanted = { ...optionsOf(options) };
      const f = make(locale, wanted);
      apply(put, states, [self, { name, f, locale, wanted }]);
      return self;
    } }[name];
    defineProperty(C, "prototype", { writable: false });
    defineProperty(C, "length", { value: 0, configurable: true });
    defineProperty(C.prototype, Symbol.toStringTag, { value: `Intl.${name}`, configurable: true });
    defineProperty(C.prototype, bound, { get() { return stateOf(this, name).f; }, enumerable: false, configurable: true });
    set(C.prototype, { resolvedOptions() {
      const s = stateOf(this, name);
      return { locale: s.locale, ...resolved(s.wanted) };
    } });
    set(C, { supportedLocalesOf(locales) {
      const list = isArray(locales) ? locales : locales === undefined ? [] : [locales];
      const out = [];
      for (let i = 0; i < list.length; i++) {
        try { make(String(list[i]), {}); out[out.length] = String(list[i]); } catch {}
      }
      return out;
    } });
    set(Intl, { [name]: C });
  };
  service("NumberFormat", "format", (locale, o) => {
    formatNumber(0, locale, o);
    return (n) => formatNumber(typeof n === "bigint" ? n : Number(n), locale, o);
  }, (o) => ({ numberingSystem: "latn", style: "decimal", ...o }));
  service("DateTimeFormat", "format", (locale, o) => {
    formatDate(0, locale, o, "intl");
    return (d) => {
      const t = d === undefined ? Date.now() : Number(d);
      if (t !== t) throw new RangeErrorClass("Invalid time value");
      return formatDate(t, locale, o, "intl");
    };
  }, (o) => ({ calendar: "gregory", numberingSystem: "latn", timeZone: "UTC", ...o }));
  service("Collator", "compare", (locale, o) => {
    compare("", "", locale, o);
    return (a, b) => compare(String(a), String(b), locale, o);
  }, (o) => ({ usage: "sort", sensitivity: "variant", numeric: false, ...o }));
  set(globalThis, { Intl });
})

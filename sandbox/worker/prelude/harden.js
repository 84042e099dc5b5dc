// Closes every road to a compiler of strings. It runs last, so that the rest of the prelude is closed in too.
(function (text) {
  "use strict";
  const { defineProperty, getPrototypeOf, freeze } = Object;
  const EvalErrorClass = EvalError;
  const deny = () => { throw new EvalErrorClass(text); };

  const seal = (proto, name) => {
    const F = { [name]: function () { deny(); } }[name];
    defineProperty(F, "prototype", { value: proto, writable: false });
    defineProperty(F, "length", { value: 1 });
    defineProperty(proto, "constructor", { value: F, writable: false, configurable: false });
    return freeze(F);
  };
  const FunctionClass = seal(getPrototypeOf(function () {}), "Function");
  seal(getPrototypeOf(async function () {}), "AsyncFunction");
  seal(getPrototypeOf(function* () {}), "GeneratorFunction");

  const replace = (name, value) =>
    defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
  replace("Function", FunctionClass);
  replace("eval", freeze({ eval: (x) => deny() }.eval));
  delete globalThis.GoError;
})

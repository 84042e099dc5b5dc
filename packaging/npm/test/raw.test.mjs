import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergePatch } from '../dist/esm/merge-patch.js';
import { rawMember } from '../dist/esm/raw.js';

const cases = [
  ['{"params":{"arguments":{"b":1.0,"1":[ ]}}}', '{"b":1.0,"1":[ ]}'],
  [' { "x" : "}\\"{" , "params" : { "y":[{"arguments":0}], "arguments" :\t"a\\\\" } } ', '"a\\\\"'],
  ['{"params":{"arguments":1e400}}', '1e400'],
  ['{"params":{"arguments":1 , "arguments": {"last":true}}}', '{"last":true}'],
  ['{"params":{"argum\\u0065nts":null}}', 'null'],
  ['{"params":{}}', undefined],
  ['{"params":[{"arguments":1}]}', undefined],
  ['[]', undefined],
  ['{}', undefined],
];
for (const [whole, want] of cases) {
  test(`raw: ${whole}`, () => {
    JSON.parse(whole);
    assert.equal(rawMember(whole, ['params', 'arguments']), want);
  });
}

test('raw: the member parsed is the parsed member, on random values', () => {
  const value = (depth) => {
    const kind = Math.floor(Math.random() * (depth > 3 ? 4 : 6));
    if (kind === 0) return Math.random() * 1e6;
    if (kind === 1) return ['"', '\\', '}', ']', 'é', '\u2028', '{"a":1}'][Math.floor(Math.random() * 7)].repeat(2);
    if (kind === 2) return null;
    if (kind === 3) return Math.random() < 0.5;
    const items = Array.from({ length: Math.floor(Math.random() * 4) }, () => value(depth + 1));
    return kind === 4 ? items : Object.fromEntries(items.map((v, i) => [`k${i}"`, v]));
  };
  for (let i = 0; i < 2000; i++) {
    const message = { a: value(0), params: { z: value(0), arguments: value(0), y: value(0) } };
    const whole = JSON.stringify(message, undefined, i % 3);
    assert.deepEqual(JSON.parse(rawMember(whole, ['params', 'arguments'])), message.params.arguments);
  }
});

test('merge patch: sets, nests, removes and replaces', () => {
  assert.deepEqual(mergePatch({ a: { b: 1, c: 2 }, d: [1] }, { a: { b: null, e: 3 }, d: [2], f: { g: null } }), {
    a: { c: 2, e: 3 }, d: [2], f: {},
  });
});

"""Reading the exact text of a member."""

import json
import random
import unittest

from exec_ext._wire import dumps, raw_member


class RawMemberTest(unittest.TestCase):
    def test_spelling_is_kept(self):
        cases = [
            ('{"a":1.0}', ("a",), "1.0"),
            (' { "x" : 1 , "a" : {"b" : [1e2, "\\u00e9"] } } ', ("a", "b"), '[1e2, "\\u00e9"]'),
            ('{"a":1,"a":2}', ("a",), "2"),
            ('{"\\u0061":-0}', ("a",), "-0"),
            ("{}", ("a",), None),
            ("[1]", ("a",), None),
            ('{"a":[]}', ("a", "b"), None),
        ]
        for text, path, want in cases:
            self.assertEqual(raw_member(text, *path), want, text)

    def test_any_object(self):
        rng = random.Random(7)

        def value(depth):
            kind = rng.randrange(7 if depth < 4 else 5)
            if kind == 0:
                return rng.choice([None, True, False])
            if kind == 1:
                return rng.randrange(-(10**20), 10**20)
            if kind == 2:
                return rng.random() * 10 ** rng.randrange(-20, 20)
            if kind in (3, 4):
                return "".join(rng.choice('a"\\{}[],:é😀\n\u2028') for _ in range(rng.randrange(8)))
            if kind == 5:
                return [value(depth + 1) for _ in range(rng.randrange(4))]
            return {value(9) if False else str(rng.random()): value(depth + 1) for _ in range(rng.randrange(4))}

        for _ in range(500):
            inner = value(0)
            text = json.dumps({"p": {"z": value(0), "arguments": inner, "y": value(0)}}, ensure_ascii=rng.random() < 0.5)
            self.assertEqual(json.loads(raw_member(text, "p", "arguments")), inner)

    def test_what_json_cannot_say(self):
        for bad in (float("nan"), float("inf"), {1}, b"x"):
            with self.assertRaises((TypeError, ValueError)):
                dumps(bad)

"""A stand-in for a model: canned turns in Anthropic's format, no network. It prints what a model would be given."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, Sequence

PLAN_WORK = """
const { result: issues } = await tools.mcp__tracker__list_issues({});
const planned = [];
for (const issue of issues.filter((i) => i.urgent)) {
  try {
    planned.push(await tools.mcp__calendar__add_event({ event: { day: "2026-12-01", title: issue.title } }));
  } catch (e) {
    console.log(`not planned: ${issue.title}: ${e.message}`);
  }
}
return planned;
"""
SCRIPTS = [
    PLAN_WORK,
    "await tools.mcp__tracker__chart({}); return 'drawn';",
    "return await tools.mcp__tracker__enable_reports({});",
    "return await tools.mcp__tracker__report({ month: '2026-11' });",
]


class Model:
    """Gives one script of SCRIPTS after the other, then a closing sentence."""

    def __init__(self) -> None:
        self._turn = 0

    def create(self, *, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]) -> List[Dict[str, Any]]:
        """One reply: a list of content blocks."""
        self._turn += 1
        print(f"-- turn {self._turn}: {len(messages)} messages, tools {[t['name'] for t in tools]}")
        said = [m["content"] for m in messages if isinstance(m["content"], str)]
        catalogs = [text for text in said if "<!-- mcp-catalog" in text]
        names = sorted(set(re.findall(r"mcp__\w+?__\w+", catalogs[-1]))) if catalogs else []
        print(f"   {len(catalogs)} catalog messages; the latest names {', '.join(names) or 'nothing'}")
        for block in next((m["content"] for m in reversed(messages) if isinstance(m["content"], list)), []):
            if block["type"] == "tool_result":
                kinds = ", ".join(c["type"] for c in block["content"])
                print(f"   result: {block['content'][0]['text']!r} ({kinds}, error: {block['is_error']})")
        if self._turn > len(SCRIPTS):
            return [{"type": "text", "text": "All done."}]
        code = {"code": SCRIPTS[self._turn - 1]}
        return [{"type": "tool_use", "id": f"use{self._turn}", "name": "Exec", "input": code}]

"""An MCP server for the examples: a small issue tracker. Run by the agents over stdio."""

import struct
import zlib

from mcp.server.mcpserver import Image, MCPServer
from pydantic import BaseModel


class Issue(BaseModel):
    number: int
    title: str
    urgent: bool


server = MCPServer("tracker", instructions="Issue numbers are never used twice.")
issues = [
    Issue(number=1, title="Door squeaks", urgent=False),
    Issue(number=2, title="Pump leaks", urgent=True),
    Issue(number=3, title="Alarm is silent", urgent=True),
]


@server.tool()
def list_issues() -> list[Issue]:
    """List all issues."""
    return issues


@server.tool()
def close_issue(number: int, comment: str = "") -> Issue:
    """Close an issue."""
    found = next(i for i in issues if i.number == number)
    issues.remove(found)
    return found


@server.tool()
def chart() -> Image:
    """Draw the number of issues as a picture."""
    row = b"\0" + b"\xc0\x40\x20" * len(issues)
    ihdr = struct.pack(">IIBBBBB", len(issues), 1, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", ihdr), (b"IDAT", zlib.compress(row)), (b"IEND", b"")]
    data = b"\x89PNG\r\n\x1a\n"
    for kind, body in parts:
        data += struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    return Image(data=data, format="png")


@server.tool()
def enable_reports() -> str:
    """Turn the reports on: a new tool appears."""
    server.add_tool(report)
    return "Reports are on."


def report(month: str) -> str:
    """Write the report of a month, as in 2026-11."""
    return f"{month}: {len(issues)} open issues"


if __name__ == "__main__":
    server.run()

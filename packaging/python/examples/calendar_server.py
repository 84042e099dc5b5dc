"""An MCP server for the examples: a calendar. Run by the agents over stdio."""

from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel


class Event(BaseModel):
    day: str
    title: str


server = MCPServer("calendar")
events: list[Event] = []


@server.tool()
def add_event(event: Event) -> Event:
    """Put an event into the calendar."""
    events.append(event)
    return event


@server.tool()
def list_events() -> list[Event]:
    """List all events."""
    return events


if __name__ == "__main__":
    server.run()

"""Calls of tools as plain HTTP, for clients that know nothing of MCP."""

REVISIONS = ("2025-11-25", "2026-07-28")
EVENT = {
    "title": "Letterpress", "description": "By hand.", "location": "Mill Lane 3",
    "start_date": "2031-05-14T19:00", "timezone": "Europe/London",
}


def call(post, base, revision, tool, arguments=None):
    """The answer of `post` to a call of a tool."""
    params = {"name": tool, "arguments": arguments or {}}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": revision}
    if revision == REVISIONS[1]:
        headers |= {"Mcp-Method": "tools/call", "Mcp-Name": tool}
        about = {"protocolVersion": revision, "clientInfo": {"name": "ci", "version": "1"}, "clientCapabilities": {}}
        params["_meta"] = {f"io.modelcontextprotocol/{name}": value for name, value in about.items()}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return post(f"{base}/mcp", json=message, headers=headers)

//! Build-time generator: proto descriptors to messages, bindings, OpenAPI and MCP tools.

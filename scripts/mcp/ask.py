"""Asks `backscroll mcp` with the official Python client, over pipes and over HTTP, in both revisions of the protocol."""

import asyncio
import sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

TOOLS = [
    "search_history",
    "list_conversations",
    "read_conversation",
    "find_by_file",
    "related_conversations",
    "handoff_brief",
]


async def ask(server, mode):
    async with Client(server, mode=mode) as client:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == TOOLS, tools
        listed = await client.call_tool("list_conversations", {"limit": 3})
        first = listed.structured_content["conversations"][0]
        words = " ".join((first["title"] or "").split()[:2])
        found = await client.call_tool("search_history", {"query": words})
        assert found.structured_content["hits"], words
        read = await client.call_tool("read_conversation", {"id": first["id"]})
        assert read.structured_content["messages"], read
        brief = await client.call_tool("handoff_brief", {"id": first["id"]})
        assert brief.structured_content["citations"], brief
        related = await client.call_tool("related_conversations", {"id": first["id"]})
        assert not related.is_error, related
        wrong = await client.call_tool("search_history", {"qurey": "x"})
        assert wrong.is_error and "query" in wrong.content[0].text, wrong
        resources = (await client.list_resources()).resources
        text = (await client.read_resource(resources[0].uri)).contents[0]
        assert text.mime_type == "text/markdown", text
        prompts = (await client.list_prompts()).prompts
        assert len(prompts) == 3, prompts
        prompt = await client.get_prompt("continue_from", {"id": first["id"]})
        assert first["id"] in prompt.messages[0].content.text, prompt
        return client.protocol_version


async def main():
    program, home, index, url, token = sys.argv[1:]
    pipes = StdioServerParameters(command=program, args=["mcp", "--home", home, "--index", index])
    for mode in ["auto", "legacy"]:
        print(f"python client, pipes, {mode}: revision {await ask(pipes, mode)}")
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http:
            over_http = streamable_http_client(url, http_client=http)
            print(f"python client, HTTP, {mode}: revision {await ask(over_http, mode)}")


asyncio.run(main())

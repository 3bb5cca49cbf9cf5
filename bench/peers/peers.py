"""Who is compared, at which versions. One environment each, for some of them cannot live together."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Peer:
    name: str
    """As the table shows it."""
    script: str
    requirements: tuple[str, ...]


PEERS = (
    Peer("pydantic-ai", "run_pydantic_ai.py", ("pydantic-ai-slim==2.66.0",)),
    Peer("openai-agents", "run_openai_agents.py", ("openai-agents==0.24.0",)),
    Peer("FastMCP", "run_fastmcp.py", ("fastmcp==4.1.2", "mcp==2.3.0")),
    Peer("LangChain", "run_langchain.py", ("langchain-core==1.7.2", "langgraph==1.2.20")),
    Peer("Google ADK", "run_google_adk.py", ("google-adk==2.13.0",)),
    Peer("LiveKit Agents", "run_livekit.py", ("livekit-agents==1.8.9",)),
    Peer("Pipecat", "run_pipecat.py", ("pipecat-ai==1.14.0",)),
)

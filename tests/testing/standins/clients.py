"""One tool that every service is told about, and the real clients of the vendors, with their own retries off."""

from __future__ import annotations

import ssl
from typing import Any

import anthropic
import openai
from google import genai
from google.genai import types

from ambidex.testing.standins import Standin

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"query": {"type": "string"}},
    "required": ["query"],
    "additionalProperties": False,
}

TLS = ssl.create_default_context()
"""Nobody here speaks TLS, but each client would read the system's certificates anew."""


def openai_client(it: Standin, key: str = "k") -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(
        api_key=key, base_url=it.base_url, max_retries=0, http_client=openai.DefaultAsyncHttpxClient(verify=TLS)
    )


def anthropic_client(it: Standin, key: str = "k") -> anthropic.AsyncAnthropic:
    return anthropic.AsyncAnthropic(
        api_key=key, base_url=it.base_url, max_retries=0, http_client=anthropic.DefaultAsyncHttpxClient(verify=TLS)
    )


def gemini_client(it: Standin, key: str = "k") -> genai.Client:
    return genai.Client(
        api_key=key,
        http_options=types.HttpOptions(
            base_url=it.base_url, client_args={"verify": TLS}, async_client_args={"verify": TLS}
        ),
    )

"""Pipecat: `LLMService.run_function_calls` in a running pipeline, until the frame with the result comes out of it."""

from __future__ import annotations

import asyncio
import json
from itertools import count
from typing import Any

from loguru import logger
from pipecat.frames.frames import Frame, FunctionCallFromLLM, FunctionCallResultFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.services.llm_service import FunctionCallParams, LLMService
from pipecat.workers.runner import WorkerRunner
from same import handler, measured

logger.remove()


class _Service(LLMService):
    """A service without a model: it lets frames pass, as those of providers do."""

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        await self.push_frame(frame, direction)


class _Sink(FrameProcessor):
    """The end of the pipeline: whoever waits for a call's result gets it here."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: dict[str, asyncio.Future[Any]] = {}

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, FunctionCallResultFrame) and direction is FrameDirection.DOWNSTREAM:
            self.waiting.pop(frame.tool_call_id).set_result(frame.result)
        await self.push_frame(frame, direction)


async def find(
    params: FunctionCallParams,
    query: str,
    filters: dict[str, Any] | None = None,
    namespace: str = "studio",
    top_k: int = 5,
) -> None:
    """Finds records that match a query.

    Args:
        query: What to look for.
        filters: Which records count.
        namespace: Where to look.
        top_k: How many records, at most.
    """
    await params.result_callback(await handler())


async def main() -> dict[str, Any]:
    service, sink, context, ids = _Service(), _Sink(), LLMContext(), count()
    service.register_direct_function(find)  # its parameters are those of the function, so a stray one is refused
    worker = PipelineWorker(Pipeline([service, sink]), cancel_on_idle_timeout=False, enable_rtvi=False)
    started = asyncio.Event()

    @worker.event_handler("on_pipeline_started")
    async def on_started(*_: Any) -> None:
        started.set()

    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    running = asyncio.create_task(runner.run())
    await asyncio.wait_for(started.wait(), 10)

    async def call(text: bytes) -> object:
        id = f"c{next(ids)}"
        sink.waiting[id] = asyncio.get_running_loop().create_future()
        answer = sink.waiting[id]
        asked = FunctionCallFromLLM(function_name="find", tool_call_id=id, arguments=json.loads(text), context=context)
        await service.run_function_calls([asked])
        return await asyncio.wait_for(answer, 10)

    favour = "a direct function in the shortest pipeline, logging off, result not encoded"
    told = await measured("pipecat-ai", "LLMService.run_function_calls", call, favour=favour)
    await worker.cancel()
    await asyncio.gather(running, return_exceptions=True)
    return told


print(json.dumps(asyncio.run(main())))

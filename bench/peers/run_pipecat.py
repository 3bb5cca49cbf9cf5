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


async def find(params: FunctionCallParams) -> None:
    await params.result_callback(await handler())


async def main() -> dict[str, Any]:
    service, sink, context, ids = LLMService(), _Sink(), LLMContext(), count()
    service.register_function("find", find)
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
        asked = FunctionCallFromLLM(
            function_name="find", tool_call_id=id, arguments=json.loads(text), context=context
        )
        await service.run_function_calls([asked])
        return await asyncio.wait_for(answer, 10)

    favour = "shortest pipeline there can be, logging off, result not encoded"
    told = await measured("pipecat-ai", "LLMService.run_function_calls", call, favour=favour)
    await worker.cancel()
    await asyncio.gather(running, return_exceptions=True)
    return told


print(json.dumps(asyncio.run(main())))

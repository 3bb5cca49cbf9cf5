from __future__ import annotations

import numpy as np
import pytest

from ambidex.capabilities.kb.search.leaning import HEADING, leaning


def test_the_product_with_a_question_is_a_weighted_mean_of_both_cosines() -> None:
    window, heading, _ = np.eye(3, dtype=np.float32)
    question = np.array([0.6, 0.8, 0], np.float32)
    expected = (1 - HEADING) * 0.6 + HEADING * 0.8
    assert float(leaning(window, heading) @ question) == pytest.approx(expected)

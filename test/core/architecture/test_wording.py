# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tests ask for a code, a key, a number or a name, not for the wording of a sentence."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[2]
SENTENCE = re.compile(r"\b[a-z]+( [a-z]+){5,}\b")  # six words in a row
MOST = 3  # a licence and two rows of a table of results, by their names


def list_sentences(code: str) -> Iterator[str]:
    """Yield strings with a sentence that are asserted, matched or among the cases of a test."""
    for node in ast.walk(ast.parse(code)):
        asked: list[ast.AST] = []
        if isinstance(node, ast.Assert):
            asked = [node.test]
        elif isinstance(node, ast.Call):
            asked = [one.value for one in node.keywords if one.arg == "match"]
            if isinstance(node.func, ast.Attribute) and node.func.attr == "parametrize":
                asked += node.args[1:]
        for one in (part for root in asked for part in ast.walk(root)):
            if isinstance(one, ast.Constant) and isinstance(one.value, str) and SENTENCE.search(one.value):
                yield one.value


def test_a_sentence_is_found():
    sentence = "this is a sentence of words"
    for code in (
        f"assert '{sentence}' in x",
        f"f(match='{sentence}')",
        f"m.parametrize('a', ['{sentence}'])",
    ):
        assert list(list_sentences(code)) == [sentence]
    assert not list(list_sentences("assert 'five words are a fact' in x"))


@pytest.mark.slow
def test_few_sentences_are_asserted():
    found = [
        (path.name, text) for path in TESTS.rglob("*.py") for text in list_sentences(path.read_text("utf-8"))
    ]
    assert len(found) <= MOST, found

# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Functions are called by a verb, none by a bare participle, and docstrings say what is returned."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[3] / "pkm_identification"
VERBS = """
    abort accept accumulate acquire activate adapt add adjust advance afford align allocate allow announce
    answer append apply approach approximate arrange ascend ask assemble assert assess assign associate assume
    attach average balance begin bind bisect blend bound break bring budget build cache calibrate call can
    cancel center centre change charge chase check choose cleanup clear climb clip close coarsen collect colour
    combine come compare compile compose compress compute concatenate configure connect construct continue
    convert cool copy correct correlate count couple cover crash create crop cure cut damp deactivate decay
    decode decompose decompress decorate decouple decrypt deduce defer delay delete demand deny derive descend
    describe deserialise design destroy detach detect differentiate digest disconnect discretise distribute
    disturb divide do draw drive drop dump emit enable encode encrypt end enlarge ensure enter enumerate
    estimate evaluate exchange excite exclude execute exit expand expect explain exponentiate export extend
    extract extrapolate factor factorise fade fail feel fetch fill filter find finish fit fix flag flatten flip
    fold follow forbid forget fork format forward free freeze gather generate get give go grip group grow
    guarantee guard guess handle has hash heal hear heat hide highlight hold hurry identify idle ignore import
    include index infer init initialise initialize insert instantiate integrate interpolate inverse invert is
    isolate iterate join judge keep key kick kill know label lay learn leave let lift limit linearise linearize
    link list listen load locate lock log look lookup loop loosen lower make map mark mask match materialise
    maximise may measure melt memorise mend merge minimise minimize mirror mix monitor move multiply must name
    narrow need negate normalise normalize notify number observe open optimise optimize order orthogonalise pack
    pad paint pair parse pause pay permit perturb pick place plan play plot point poll postpone predict prefer
    prepare present press print probe proceed process produce project propagate protect prove publish pull push
    put quantise quantize query quit raise rank rate reach read rebuild receive recompute reconnect record
    recover redirect redo reduce refer refine refit reflect refuse register reject relate release relinearise
    reload remember remove rename render reopen reorder repair repeat replace reply report request require
    reread rerun resample reserve reset reshape resolve respond rest restart restore resume retry return reveal
    reverse rewrite roll root rotate round run sample save say scale scan scatter schedule score seal search see
    select send sense separate serialise serialize serve set settle shake shield shift shock should show shrink
    shutdown sign simulate sketch skip sleep smooth solve sort spawn spend split spread square stack stand
    standardise start step stir stop store strip submit subscribe substitute subtract sum summarise summarize
    suppose survive swap sweep symmetrise tag take tally teach tell terminate test thaw thicken thin tighten
    title tolerate touch trace track train transform translate transmit traverse trim truncate try tune turn
    undo unfold unlock unpack unroll unsubscribe unwrap unzip update use validate vary verify visit wait walk
    want warm warn watch weigh weight whiten widen will wish withstand wrap write yield zip
"""
IRREGULAR = (
    "begun bent bound chosen cut done drawn driven fed felt forgotten found frozen given gone held hidden kept known "
    "left lent lost made met paid put risen said seen sent shown shrunk sold spent spoken stolen stood sunk taken "
    "thought told torn understood withheld worn wound woven written"
)
NO_PARTICIPLES = "embed exceed feed need seed shed speed"
# Parts of all functions. The field has 41 to 91 % verbs and 0 to 2 % participles.
LONGEST_TEST_NAME = 80  # letters
LEAST_VERBS, MOST_PARTICIPLES, MOST_WHAT = 0.6, 0.02, 0.01


Trees = dict[Path, ast.Module]


@pytest.fixture(scope="module")
def trees() -> Trees:
    """The package, parsed once."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}


def functions(trees: Trees) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the functions and methods of the package that are no properties and no special methods."""
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("__"):
                decorators = " ".join(map(ast.unparse, node.decorator_list))
                if "property" not in decorators and "setter" not in decorators:
                    yield node


def is_participle(word: str) -> bool:
    """Return whether a name is one word, and that a participle."""
    return word in IRREGULAR.split() or (
        "_" not in word and word.endswith("ed") and word not in NO_PARTICIPLES.split()
    )


@pytest.mark.slow
def test_functions_begin_with_a_verb(trees):
    names = [node.name.strip("_") for node in functions(trees)]
    verbs = set(VERBS.split())
    assert len(names) > 3000
    assert sum(name.split("_")[0] in verbs for name in names) > LEAST_VERBS * len(names)
    assert sum(is_participle(name) for name in names) < MOST_PARTICIPLES * len(names)


@pytest.mark.slow
def test_docstrings_of_functions_say_what_is_returned(trees):
    firsts = [text.split()[0] for node in functions(trees) if (text := ast.get_docstring(node))]
    assert sum(word in ("What", "Of") for word in firsts) < MOST_WHAT * len(firsts)


SECTION = re.compile(r"^(?:Parameters|Attributes)\n-+\n(.*?)(?=^\w[^\n]*\n-{3,}\n|\Z)", re.M | re.S)
DOCUMENTED = re.compile(r"^(\*{0,2}\w[\w, *]*?)\s*:\s", re.M)


def list_documented(node: ast.AST) -> set[str]:
    """Return the names of parameters and attributes that a docstring explains."""
    text = inspect.cleandoc(ast.get_docstring(node) or "")
    found = [name for section in SECTION.findall(text) for name in DOCUMENTED.findall(section)]
    return {one.strip(" *") for name in found for one in name.split(",")}


def list_names_inside(node: ast.AST) -> set[str]:
    """Return the names of arguments, variables and attributes of a function's head, or of a class."""
    inside = ast.walk(node.args) if isinstance(node, ast.FunctionDef) else ast.walk(node)
    return {
        getattr(one, key)
        for one in inside
        for key in ("arg", "attr", "name", "id")
        if isinstance(getattr(one, key, None), str)
    }


@pytest.mark.slow
def test_docstrings_explain_parameters_that_exist(trees):
    found, count = [], 0
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) or (isinstance(node, ast.ClassDef) and not node.bases):
                documented = list_documented(node)
                count += len(documented)
                found += [f"{path}: {name}" for name in documented - list_names_inside(node)]
    assert count > 3000
    assert found == []


def test_names_of_tests_are_short():
    tests = PACKAGE.parent / "test"
    text = "\n".join(path.read_text(encoding="utf-8") for path in tests.rglob("*.py"))
    names = re.findall(r"^ *(?:async )?def (test_\w+)\(", text, re.M)
    assert len(names) > 2000
    assert [name for name in names if len(name) >= LONGEST_TEST_NAME] == []


# Words of everyday language that had private meanings here; the field's own words are in the second column of the
# vocabulary: input validation, segment, friction transition, deflection, correction, instruments, residual ...
BANNED = (
    "bend bends beside besides cure cured cures doubted guard guarded pipelined rewound stretch stretches told "
    "undoing unwound wound yielding"
)


@pytest.mark.slow
def test_no_name_has_a_word_with_a_private_meaning(trees):
    found = []
    for path, tree in trees.items():
        names = {path.stem, *path.relative_to(PACKAGE).parts[:-1]}
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names.add(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", node.name))
            elif isinstance(node, ast.arg):
                names.add(node.arg)
        found += [f"{path}: {name}" for name in names if set(name.lower().split("_")) & set(BANNED.split())]
    assert found == []


# The same in prose. Some of these words have an ordinary meaning too; a plain one is never far.
PROSE = (
    "bend bends beside besides cure cured cures doubted pipelined rewound stretch stretches told undoing unseen "
    "unwound wound yields yielding"
)
A_WORD = re.compile(rf"(?<![\w{{.-])({'|'.join(PROSE.split())})(?![\w}}-])", re.IGNORECASE)
CODE = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)", re.DOTALL)
# Written by programs in benchmarks/, from names and docstrings of tests, or after the words of a reference text
MEASURED = [
    "failures",
    "reproduction",
]
MOST_IN_DOCSTRINGS = 25


def list_texts(tree: ast.Module) -> Iterator[tuple[str, bool]]:
    """Yield the texts of a module, each with whether it is a docstring."""
    owners = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, owners) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip():
            yield node.value, id(node) in docstrings


@pytest.mark.slow
def test_messages_have_no_word_with_a_private_meaning(trees):
    found, docstrings = [], 0
    for path, tree in trees.items():
        for text, is_docstring in list_texts(tree):
            words = A_WORD.findall(text)
            docstrings += is_docstring * len(words)
            if not is_docstring and "reproduction" not in path.parts:
                found += [f"{path}: {word}: {text}" for word in words]
    assert found == []
    assert docstrings <= MOST_IN_DOCSTRINGS


def test_pages_have_no_word_with_a_private_meaning():
    docs = PACKAGE.parent / "docs"
    pages = [*docs.glob("*.md"), *(docs / "nodes").glob("*.md")]
    assert len(pages) > 50
    found = [
        f"{page.name}: {word}"
        for page in pages
        if page.stem not in MEASURED
        for word in A_WORD.findall(CODE.sub("", page.read_text(encoding="utf-8")))
    ]
    assert found == []
